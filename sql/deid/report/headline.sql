-- Grain: one set of runs. Purpose: the first numbers of a report.
SELECT
    count(*) FILTER (WHERE d.state = 'staged') AS waiting,
    count(*) FILTER (WHERE d.state = 'quarantined') AS quarantined,
    count(*) FILTER (WHERE d.state IN ('planned', 'detected', 'substituted', 'validated')) AS unfinished,
    count(DISTINCT d.patient_id) AS patients,
    coalesce(sum(d.characters), 0) AS characters,
    (SELECT coalesce(sum(m.mentions), 0) FROM deid.mention_count AS m WHERE m.run_id = ANY(%(run_ids)s)) AS mentions,
    (
        SELECT count(DISTINCT w.document_id) FROM deid.withdrawal AS w WHERE w.run_id = ANY(%(run_ids)s)
    ) AS withdrawals
FROM deid.document AS d
WHERE d.run_id = ANY(%(run_ids)s)
