-- Grain: one document among document_ids, with what the warehouse knows of its patient and stay.
-- Purpose: everything that detection needs. Empty strings are unknowns.
SELECT
    d.document_id,
    encode(sha256(coalesce(d.content, ''::bytea)), 'hex') AS content_hash,
    d.patient_id,
    d.stay_id,
    d.type_code AS document_type,
    d.loinc_code,
    d.title,
    d.format,
    d.charset,
    coalesce(d.content, ''::bytea) AS content,
    d.written_on AS reference_date,
    s.service_code AS service,
    s.admitted_on AS stay_start,
    s.discharged_on AS stay_end,
    p.last_name,
    p.birth_name,
    p.first_names,
    p.sex::text AS sex,
    p.birth_date,
    array_remove(ARRAY[nullif(p.address, '')], NULL) AS addresses,
    p.zip,
    p.city,
    array_remove(ARRAY[nullif(p.phone, ''), nullif(p.mobile, '')], NULL) AS phones,
    array_remove(ARRAY[nullif(p.email, '')], NULL) AS emails,
    p.ipp,
    s.nda,
    p.nir
FROM cdw.document AS d
LEFT JOIN cdw.patient AS p ON p.patient_id = d.patient_id
LEFT JOIN cdw.stay AS s ON s.stay_id = d.stay_id
WHERE d.document_id = ANY(%(document_ids)s)
