-- Grain: one set of runs. Purpose: how many durations that a text says agreed with its dates, how many do not with the
-- moved ones, and in how many documents; those in quarantine are read by nobody.
SELECT
    coalesce(sum(d.durations), 0) AS seen,
    coalesce(sum(d.durations_lost), 0) AS lost,
    count(*) FILTER (WHERE d.durations > 0) AS documents,
    count(*) FILTER (WHERE d.durations_lost > 0) AS documents_lost
FROM deid.document AS d
WHERE d.run_id = ANY(%(run_ids)s) AND d.state <> 'quarantined'
