-- Grain: one document of the interval that is new to the ledger.
-- Purpose: the anti-join. New is: never seen in this version under this pipeline; or seen, and since then
-- superseded or withdrawn (the source has it again); or left unfinished by a run that ended or fell silent; or in
-- quarantine, from where a person wants it done again. Never new: a content that a person has discarded, and the
-- documents of a patient who has objected.
CREATE TEMPORARY TABLE new_document ON COMMIT DROP AS
SELECT
    i.document_id,
    i.content_hash,
    i.ingested_at,
    i.document_type,
    i.service,
    1 + (row_number() OVER (ORDER BY i.ingested_at, i.document_id COLLATE "C") - 1) / %(batch_size)s AS batch_id
FROM incoming_document AS i
LEFT JOIN deid.document AS d
    ON i.document_id = d.document_id
    AND i.content_hash = d.content_hash
    AND d.pipeline_version = %(pipeline_version)s
LEFT JOIN deid.run AS r ON d.run_id = r.run_id
WHERE
    (cardinality(%(document_types)s::text[]) = 0 OR i.document_type = ANY(%(document_types)s))
    AND (cardinality(%(services)s::text[]) = 0 OR i.service = ANY(%(services)s))
    AND (
        d.document_id IS NULL
        OR d.state IN ('superseded', 'withdrawn')
        OR (
            d.state IN ('planned', 'detected', 'substituted', 'validated')
            AND (r.state <> 'planned' OR r.active_at < now() - make_interval(secs => %(abandoned_after_s)s))
        )
        OR (d.state = 'quarantined' AND EXISTS (
            SELECT FROM deid.quarantine AS q
            WHERE
                q.document_id = i.document_id AND q.content_hash = i.content_hash AND q.standing IN ('retry', 'release')
        ))
    )
    AND NOT EXISTS (
        SELECT FROM deid.quarantine AS q
        WHERE q.document_id = i.document_id AND q.content_hash = i.content_hash AND q.standing = 'discard'
    )
    AND NOT EXISTS (SELECT FROM deid.opt_out AS o WHERE o.patient_id = d.patient_id AND o.revoked_at IS NULL)
