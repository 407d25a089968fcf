-- Grain: one run. Purpose: the runs that an interval's report is about: those that had something to do, else the last.
SELECT
    r.run_id,
    r.state,
    r.interval_start,
    r.interval_end,
    r.seen,
    r.planned,
    r.started_at,
    r.finished_at,
    r.policy_hash,
    r.pipeline_version,
    r.detector_version,
    r.key_version,
    r.reference_versions,
    r.reason
FROM deid.run AS r
WHERE
    r.interval_key = %(interval_key)s AND NOT r.dry_run
    AND (
        r.planned > 0
        OR EXISTS (SELECT FROM deid.withdrawal AS w WHERE w.run_id = r.run_id)
        OR r.run_id = (
            SELECT max(n.run_id) FROM deid.run AS n WHERE n.interval_key = %(interval_key)s AND NOT n.dry_run
        )
    )
ORDER BY r.planned = 0, r.run_id
