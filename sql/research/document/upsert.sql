-- Grain: one published document. Purpose: a new document is added, a corrected one replaces its row.
INSERT INTO research.document (
    document_id, patient_id, stay_id, document_type, loinc_code, title, text, markup, reference_date, release_id,
    run_id, policy_hash, pipeline_version, detector_version, reference_versions, key_fingerprint
)
SELECT
    document_id, patient_id, stay_id, document_type, loinc_code, title, text, markup, reference_date, release_id,
    run_id, policy_hash, pipeline_version, detector_version, reference_versions, key_fingerprint
FROM incoming_document
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
    key_fingerprint = excluded.key_fingerprint,
    published_at = now()
