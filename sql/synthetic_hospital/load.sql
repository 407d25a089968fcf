-- name: document
-- Grain: one document of incoming_document, in the version of a given night.
-- Purpose: add it, or bring it forward to a later version. A document never goes back to an earlier one, so that
-- loading an early night after a late one changes nothing.
INSERT INTO cdw.document (
    document_id, patient_id, stay_id, type_code, loinc_code, title, format, charset, content, author_id, written_on,
    ingested_at, withdrawn_at
)
SELECT
    document_id, patient_id, stay_id, type_code, loinc_code, title, format, charset, content, author_id, written_on,
    ingested_at, withdrawn_at
FROM incoming_document
ON CONFLICT (document_id) DO UPDATE
    SET
        content = excluded.content,
        ingested_at = excluded.ingested_at,
        withdrawn_at = excluded.withdrawn_at
WHERE document.ingested_at < excluded.ingested_at;

-- name: formats
-- Grain: one document of cdw.
-- Purpose: the media type of each, for counts by format.
SELECT
    document_id,
    format
FROM cdw.document;

-- name: mention
-- Grain: one true mention of incoming_mention.
-- Purpose: add those that are not there yet.
INSERT INTO gold.mention (document_id, content_hash, start_offset, end_offset, label)
SELECT document_id, content_hash, start_offset, end_offset, label
FROM incoming_mention
ON CONFLICT (document_id, content_hash, start_offset) DO NOTHING;

-- name: patient
-- Grain: one patient of incoming_patient.
-- Purpose: add those that are not there yet.
INSERT INTO cdw.patient (
    patient_id, ipp, last_name, birth_name, first_names, sex, birth_date, nir, address, zip, city, insee, phone,
    mobile, email
)
SELECT
    patient_id, ipp, last_name, birth_name, first_names, sex, birth_date, nir, address, zip, city, insee, phone,
    mobile, email
FROM incoming_patient
ON CONFLICT (patient_id) DO NOTHING;

-- name: present
-- Grain: one document of cdw.
-- Purpose: which version is there, so that only what has changed is sent.
SELECT document_id, ingested_at
FROM cdw.document;

-- name: staff
-- Grain: one professional of incoming_staff.
-- Purpose: add those that are not there yet.
INSERT INTO cdw.staff (staff_id, rpps, last_name, first_name, role, service_code, phone, email)
SELECT staff_id, rpps, last_name, first_name, role, service_code, phone, email
FROM incoming_staff
ON CONFLICT (staff_id) DO NOTHING;

-- name: stay
-- Grain: one stay of incoming_stay.
-- Purpose: add those that are not there yet.
INSERT INTO cdw.stay (stay_id, patient_id, nda, service_code, service_name, admitted_on, discharged_on)
SELECT stay_id, patient_id, nda, service_code, service_name, admitted_on, discharged_on
FROM incoming_stay
ON CONFLICT (stay_id) DO NOTHING;

-- name: diagnosis
-- Grain: one diagnosis of incoming_diagnosis.
-- Purpose: add those that are not there yet.
INSERT INTO cdw.diagnosis (stay_id, position, code, label)
SELECT stay_id, position, code, label
FROM incoming_diagnosis
ON CONFLICT DO NOTHING;
