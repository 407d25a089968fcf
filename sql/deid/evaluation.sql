-- name: history
-- Grain: one measure of the last evaluation of an interval: of this one, and of those before it, newest first.
-- Purpose: the plot of an interval's report.
WITH evaluated AS (
    SELECT DISTINCT ON (r.interval_key) r.interval_key, e.release_id, e.run
    FROM deid.evaluation AS e
    INNER JOIN deid.release AS r ON e.release_id = r.release_id
    WHERE r.interval_key <= %(interval_key)s
    ORDER BY r.interval_key DESC, e.at DESC
    LIMIT %(most)s
)

SELECT v.interval_key, e.measure, e.value, e.low, e.high, e.n, e.policy_hash, e.at
FROM evaluated AS v
INNER JOIN deid.evaluation AS e ON v.release_id = e.release_id AND v.run = e.run
ORDER BY v.interval_key DESC, e.measure;

-- name: insert
-- Grain: one measure. Purpose: keep it; a step that is repeated measures the same.
INSERT INTO deid.evaluation (release_id, run, measure, value, low, high, n, policy_hash)
VALUES (%(release_id)s, %(run)s, %(measure)s, %(value)s, %(low)s, %(high)s, %(n)s, %(policy_hash)s)
ON CONFLICT DO NOTHING;

-- name: learned
-- Grain: one published document of those named. Purpose: members of a training, as many as are asked for, in the order
-- of a digest.
SELECT d.document_id, d.content_hash, d.run_id, d.release_id
FROM deid.document AS d
WHERE d.document_id = ANY(%(document_ids)s::text[]) AND d.state = 'published'
ORDER BY sha256(convert_to(d.document_id, 'UTF8'))
LIMIT %(size)s;

-- name: runs
-- Grain: one run with published documents of an interval. Purpose: what they were drawn with.
SELECT r.run_id, r.reference_versions
FROM deid.run AS r
WHERE
    r.interval_key = %(interval_key)s AND NOT r.dry_run
    AND EXISTS (SELECT FROM deid.document AS d WHERE d.run_id = r.run_id AND d.state = 'published')
ORDER BY r.run_id;

-- name: sample
-- Grain: one published document of some runs. Purpose: whole patients (but perhaps the last) in the order of a
-- digest, as many documents as are asked for.
SELECT d.document_id, d.content_hash, d.run_id, d.release_id
FROM deid.document AS d
WHERE d.run_id = ANY(%(run_ids)s::bigint[]) AND d.state = 'published'
ORDER BY
    sha256(convert_to(%(interval_key)s || d.patient_id, 'UTF8')),
    sha256(convert_to(%(interval_key)s || d.document_id, 'UTF8'))
LIMIT %(size)s;
