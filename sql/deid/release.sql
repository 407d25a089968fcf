-- name: count_withdrawn
-- Grain: one release. Purpose: keep the number of documents it removed, whatever happens to the process.
UPDATE deid.release
SET counts = counts || jsonb_build_object('withdrawn', coalesce((counts ->> 'withdrawn')::int, 0) + %(removed)s)
WHERE release_id = %(release_id)s;

-- name: finish
-- Grain: one release. Purpose: count what it did; researchers read it from the next rewriting on.
UPDATE deid.release AS r
SET
    published_at = now(),
    counts = (
        SELECT jsonb_build_object(
            'published', count(*) FILTER (WHERE d.state = 'published'),
            'replaced', count(*) FILTER (WHERE d.state = 'published' AND EXISTS (
                SELECT FROM deid.document AS o
                WHERE o.document_id = d.document_id AND o.state = 'superseded' AND o.release_id < r.release_id
            )),
            'withdrawn', coalesce((r.counts ->> 'withdrawn')::int, 0)
        )
        FROM deid.document AS d
        WHERE d.release_id = r.release_id
    )
WHERE
    r.release_id = %(release_id)s
    AND NOT EXISTS (SELECT FROM deid.document AS d WHERE d.release_id = r.release_id AND d.state = 'staged')
RETURNING r.run_ids[cardinality(r.run_ids)] AS run_id, (r.counts ->> 'published')::int AS documents;

-- name: insert
-- Grain: one release. Purpose: open it; no rewriting shows its rows to researchers until it is finished.
INSERT INTO deid.release (interval_key, run_ids, policy_hash, pipeline_version, staged_digest)
VALUES (%(interval_key)s, %(run_ids)s, %(policy_hash)s, %(pipeline_version)s, %(staged_digest)s)
RETURNING release_id;

-- name: latest
-- Grain: one release. Purpose: the last finished one of an interval.
SELECT release_id, run_ids, staged_digest, counts
FROM deid.release
WHERE interval_key = %(interval_key)s AND published_at IS NOT NULL
ORDER BY release_id DESC
LIMIT 1;

-- name: unfinished
-- Grain: one release. Purpose: the one of this interval that was interrupted, if any: it is finished first.
SELECT release_id, run_ids FROM deid.release WHERE interval_key = %(interval_key)s AND published_at IS NULL;

-- name: batch
-- Grain: one document of a batch of a release. Purpose: its candidate text and what its published row carries, under
-- its pseudonyms, and whether it is what was sealed when it was staged.
SELECT
    d.document_id, c.patient_id, c.stay_id, u.encrypted AS document, v.encrypted AS patient, w.encrypted AS stay,
    d.document_type, d.loinc_code, c.title, c.text, c.markup,
    c.reference_date, d.release_id, d.run_id, r.policy_hash, d.pipeline_version, r.detector_version,
    c.reference_versions,
    deid.disagreements(d.agreement) AS disagreements,
    c.file, c.file_type, c.file_suffix,
    CASE WHEN p.content #> '{release,training_export}' = 'true' THEN c.spans END AS spans,
    CASE WHEN p.content #> '{publication,spans}' = 'true' THEN c.spans END AS shown_spans,
    c.attributes,
    EXISTS (
        SELECT FROM deid.verdict AS x
        WHERE
            x.run_id = d.run_id AND x.document_id = d.document_id AND x.check_name = 'unique_person' AND NOT x.success
    ) AS told_unique,
    r.key_fingerprint,
    u.encrypted IS NOT NULL AND v.encrypted IS NOT NULL AND (c.stay_id IS NULL OR w.encrypted IS NOT NULL) AS named,
    coalesce(s.digest = deid.content_digest(
        t.salt, d.content_hash, c.patient_id, c.stay_id, d.document_type, d.loinc_code, c.title, c.text, c.markup,
        c.reference_date, c.file, c.file_type, c.file_suffix, c.attributes
    ), false) AS intact
FROM deid.document AS d
INNER JOIN deid.candidate AS c ON d.run_id = c.run_id AND d.document_id = c.document_id
INNER JOIN deid.run AS r ON d.run_id = r.run_id
LEFT JOIN deid.policy AS p ON r.policy_hash = p.policy_hash
LEFT JOIN deid.staged_content AS s ON d.run_id = s.run_id AND d.document_id = s.document_id AND NOT s.withdrawn
LEFT JOIN deid.staging_salt AS t ON d.run_id = t.run_id
LEFT JOIN deid.pseudonym AS u
    ON u.kind = 'document' AND d.document_id = u.ledger_id AND r.key_fingerprint = u.key_fingerprint
LEFT JOIN deid.pseudonym AS v
    ON v.kind = 'patient' AND c.patient_id = v.ledger_id AND r.key_fingerprint = v.key_fingerprint
LEFT JOIN deid.pseudonym AS w
    ON w.kind = 'stay' AND c.stay_id = w.ledger_id AND r.key_fingerprint = w.key_fingerprint
WHERE
    d.release_id = %(release_id)s AND d.run_id = %(run_id)s AND d.batch_id = %(batch_id)s AND d.state = 'staged'
ORDER BY d.document_id
FOR UPDATE OF d;

-- name: batches
-- Grain: one batch. Purpose: those of a release that still have documents to publish.
SELECT DISTINCT run_id, batch_id
FROM deid.document
WHERE release_id = %(release_id)s AND state = 'staged'
ORDER BY run_id, batch_id;

-- name: vetoed
-- Grain: one release. Purpose: whether a person has rejected its content since it was last approved, if it was.
SELECT EXISTS (
    SELECT FROM deid.decision AS v
    INNER JOIN deid.release AS r ON v.interval_key = r.interval_key AND v.staged_digest = r.staged_digest
    WHERE
        r.release_id = %(release_id)s AND v.chosen IN ('reject', 'rework')
        AND v.decided_at > coalesce((
            SELECT max(d.decided_at)
            FROM deid.decision AS d
            WHERE
                d.interval_key = v.interval_key AND d.staged_digest = v.staged_digest AND d.chosen = 'approve'
                AND d.missing = 0
        ), '-infinity')
) AS vetoed;
