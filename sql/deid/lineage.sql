-- name: rows
-- Grain: one table of the ledger, and the files of a source. Purpose: how many rows a batch, or a whole run, has there.
WITH own AS (
    SELECT d.document_id, d.file_digest
    FROM deid.document AS d
    WHERE d.run_id = %(run_id)s AND (%(batch_id)s::int IS NULL OR d.batch_id = %(batch_id)s)
)

SELECT 'deid.document' AS name, count(*) AS rows FROM own
UNION ALL
SELECT 'files', count(*) FROM own AS o
WHERE o.file_digest IS NOT NULL
UNION ALL
SELECT 'deid.mention', count(*) FROM deid.mention AS m
WHERE m.run_id = %(run_id)s AND m.document_id IN (SELECT o.document_id FROM own AS o)
UNION ALL
SELECT 'deid.candidate', count(*) FROM deid.candidate AS c
WHERE c.run_id = %(run_id)s AND c.document_id IN (SELECT o.document_id FROM own AS o)
UNION ALL
SELECT 'deid.verdict', count(*) FROM deid.verdict AS v
WHERE v.run_id = %(run_id)s AND v.document_id IN (SELECT o.document_id FROM own AS o)
UNION ALL
SELECT 'deid.quarantine', count(*) FROM deid.quarantine AS q
WHERE q.run_id = %(run_id)s AND q.document_id IN (SELECT o.document_id FROM own AS o)
UNION ALL
SELECT 'deid.check_result', count(*) FROM deid.check_result AS r
WHERE r.run_id = %(run_id)s AND r.batch_id IS NOT DISTINCT FROM %(batch_id)s::int
UNION ALL
SELECT 'deid.staged_content', count(*) FROM deid.staged_content AS s
WHERE s.run_id = %(run_id)s;

-- name: versions
-- Grain: one run. Purpose: what it was planned with, by digest.
SELECT r.policy_hash, r.pipeline_version, r.detector_version, r.source_digest, r.code_digest, r.dag_version
FROM deid.run AS r
WHERE r.run_id = %(run_id)s;

-- name: checks
-- Grain: one rule on a batch, or on a whole run. Purpose: what Great Expectations found, in numbers.
SELECT r.suite, r.rule, r.severity, r.success, r.element_count, r.unexpected_count, r.observed
FROM deid.check_result AS r
WHERE r.run_id = %(run_id)s AND r.batch_id IS NOT DISTINCT FROM %(batch_id)s::int
ORDER BY r.suite, r.rule;
