-- Grain: one run. Purpose: its counts, for the tasks that follow and for the steward.
SELECT
    r.interval_key,
    r.run_id,
    r.seen,
    r.planned,
    count(*) FILTER (WHERE d.state IN ('staged', 'published')) AS staged,
    count(*) FILTER (WHERE d.state = 'quarantined') AS quarantined,
    count(*) FILTER (WHERE d.state IN ('planned', 'detected', 'substituted', 'validated')) AS unfinished,
    (SELECT count(*) FROM deid.withdrawal AS w WHERE w.run_id = r.run_id) AS withdrawn,
    r.staged_digest
FROM deid.run AS r
LEFT JOIN deid.document AS d ON r.run_id = d.run_id
WHERE r.run_id = %(run_id)s
GROUP BY r.run_id
