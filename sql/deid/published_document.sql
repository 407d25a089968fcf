-- name: keys
-- Grain: one fingerprint. Purpose: how many published documents, or documents that researchers still read, no other key
-- can find.
SELECT k.key_fingerprint, max(k.documents) AS documents
FROM (
    SELECT d.key_fingerprint, count(*) AS documents FROM deid.published_document AS d GROUP BY d.key_fingerprint
    UNION ALL
    SELECT v.key_fingerprint, count(*) AS documents FROM research.document AS v GROUP BY v.key_fingerprint
) AS k
GROUP BY k.key_fingerprint;

-- name: replace
-- Grain: one document that another key published. Purpose: its release is complete under the newer key; researchers
-- read the former row until the next rewriting, which shows the new one.
DELETE FROM deid.published_document AS d
WHERE d.document_id = ANY(%(pseudonyms)s);

-- name: remove
-- Grain: one published document. Purpose: what the source withdrew leaves at once.
WITH unread AS (
    DELETE FROM research.document AS v WHERE v.document_id = ANY(%(pseudonyms)s)
)

DELETE FROM deid.published_document AS d
WHERE d.document_id = ANY(%(pseudonyms)s);

-- name: remove_patients
-- Grain: published documents of one patient, release and type. Purpose: the patient objected: the rows leave.
WITH unread AS (
    DELETE FROM research.document AS v WHERE v.patient_id = ANY(%(pseudonyms)s)
),

gone AS (
    DELETE FROM deid.published_document AS d
    WHERE d.patient_id = ANY(%(pseudonyms)s)
    RETURNING d.patient_id, d.release_id, coalesce(d.document_type, '') AS document_type
)

SELECT g.patient_id, g.release_id, g.document_type, count(*)::int AS documents
FROM gone AS g
GROUP BY g.patient_id, g.release_id, g.document_type
ORDER BY g.release_id, g.document_type;

-- name: upsert
-- Grain: one published document. Purpose: a new document is added, a corrected one replaces its row.
INSERT INTO deid.published_document (
    document_id, patient_id, stay_id, document_type, loinc_code, title, text, markup, reference_date, release_id,
    run_id, policy_hash, pipeline_version, detector_version, reference_versions, disagreements, file, file_type,
    file_suffix, spans, shown_spans, attributes, told_unique, key_fingerprint
)
SELECT
    document_id, patient_id, stay_id, document_type, loinc_code, title, text, markup, reference_date, release_id,
    run_id, policy_hash, pipeline_version, detector_version, reference_versions, disagreements, file, file_type,
    file_suffix, spans, shown_spans, attributes, told_unique, key_fingerprint
FROM incoming_published_document
ORDER BY document_id COLLATE "C"
ON CONFLICT (document_id) DO UPDATE
SET
    patient_id = excluded.patient_id,
    stay_id = excluded.stay_id,
    document_type = excluded.document_type,
    loinc_code = excluded.loinc_code,
    title = excluded.title,
    text = excluded.text,
    markup = excluded.markup,
    reference_date = excluded.reference_date,
    release_id = excluded.release_id,
    run_id = excluded.run_id,
    policy_hash = excluded.policy_hash,
    pipeline_version = excluded.pipeline_version,
    detector_version = excluded.detector_version,
    reference_versions = excluded.reference_versions,
    disagreements = excluded.disagreements,
    file = excluded.file,
    file_type = excluded.file_type,
    file_suffix = excluded.file_suffix,
    spans = excluded.spans,
    shown_spans = excluded.shown_spans,
    attributes = excluded.attributes,
    told_unique = excluded.told_unique,
    key_fingerprint = excluded.key_fingerprint,
    published_at = now(),
    former_release_id = CASE
        WHEN published_document.visible_from IS NULL THEN published_document.former_release_id
        ELSE published_document.release_id
    END,
    visible_from = NULL;
