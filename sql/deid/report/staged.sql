-- Grain: some runs of one interval. Purpose: what a steward reads before deciding: counts of what publishing them does.
SELECT
    (SELECT coalesce(sum(r.seen), 0) FROM deid.run AS r WHERE r.run_id = ANY(%(run_ids)s::bigint[])) AS seen,
    count(*) FILTER (WHERE d.state = 'staged') AS staged,
    count(*) FILTER (WHERE d.state = 'quarantined') AS quarantined,
    count(*) FILTER (WHERE d.state = 'staged' AND EXISTS (
        SELECT FROM deid.document AS o
        WHERE o.document_id = d.document_id AND o.state = 'published'
    )) AS corrected,
    (
        SELECT count(DISTINCT w.document_id) FROM deid.withdrawal AS w WHERE w.run_id = ANY(%(run_ids)s::bigint[])
    ) AS withdrawn
FROM deid.document AS d
WHERE d.run_id = ANY(%(run_ids)s::bigint[])
