-- Grain: one staged run. Purpose: nothing of it waits any more; what it failed must not hold back the run that mends
-- it.
UPDATE deid.run SET state = 'superseded', sent_back_at = %(decided_at)s
WHERE run_id = ANY(%(run_ids)s::bigint[]) AND state = 'staged'
