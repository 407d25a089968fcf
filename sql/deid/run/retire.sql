-- Grain: one run. Purpose: an earlier run of the same interval that has nothing left to publish no longer counts:
-- what it failed must not hold back the run that was made to mend it.
UPDATE deid.run AS o
SET state = 'superseded'
FROM deid.run AS n
WHERE
    n.run_id = %(run_id)s
    AND o.interval_key = n.interval_key
    AND o.run_id < n.run_id
    AND o.state = 'staged'
    AND NOT EXISTS (SELECT FROM deid.document AS d WHERE d.run_id = o.run_id AND d.state = 'staged')
