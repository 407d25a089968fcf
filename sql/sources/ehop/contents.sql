-- Grain: one document among document_ids, with what the warehouse knows of its patient and stay.
-- Purpose: everything that detection needs. Empty strings are unknowns. A stay that begins before the patient's
-- earlier ones are over gives the dates of the first of those: a day told in both then has one surrogate.
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
    e.admitted_on AS stay_start,
    e.discharged_on AS stay_end,
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
LEFT JOIN LATERAL (
    SELECT
        h.admitted_on,
        h.discharged_on
    FROM (
        SELECT
            o.stay_id,
            o.admitted_on,
            o.discharged_on,
            max(coalesce(o.discharged_on, o.admitted_on + 366)) OVER (
                ORDER BY o.admitted_on, o.stay_id
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS earlier_until
        FROM cdw.stay AS o
        WHERE o.patient_id = s.patient_id AND (o.admitted_on, o.stay_id) <= (s.admitted_on, s.stay_id)
    ) AS h
    WHERE h.earlier_until IS NULL OR h.earlier_until < h.admitted_on
    ORDER BY h.admitted_on DESC, h.stay_id DESC
    LIMIT 1
) AS e ON TRUE
WHERE d.document_id = ANY(%(document_ids)s)
