-- Grain: one note among document_ids, with what the warehouse knows of its person and visit.
-- Purpose: everything that detection needs. OMOP has no place for names: the site's own table has them (here
-- person_identity). Notes are text of the database, hence UTF-8; one whose bytes could not be read is null there,
-- and goes to quarantine as empty. The LOINC code is that of note_class_concept_id, where CONCEPT has one; a birth of
-- which the day or the month is not known is YYYY-MM or YYYY. A visit that begins before the person's
-- earlier ones are over gives the dates of the first of those: a day told in both then has one surrogate.
SELECT
    n.note_id::text AS document_id,
    encode(sha256(convert_to(coalesce(n.note_text, ''), 'UTF8')), 'hex') AS content_hash,
    n.person_id::text AS patient_id,
    n.visit_occurrence_id::text AS stay_id,
    a.type_code AS document_type,
    k.concept_code::text AS loinc_code,
    n.note_title AS title,
    a.format,
    'utf-8'::text AS charset,
    convert_to(coalesce(n.note_text, ''), 'UTF8') AS content,
    n.note_date AS reference_date,
    c.care_site_source_value AS service,
    e.visit_start_date AS stay_start,
    e.visit_end_date AS stay_end,
    i.last_name,
    i.birth_name,
    i.first_names,
    CASE p.gender_concept_id WHEN 8507 THEN 'M' WHEN 8532 THEN 'F' END AS sex,
    coalesce(
        to_char(p.birth_datetime, 'YYYY-MM-DD'),
        p.year_of_birth::text || coalesce(
            '-' || lpad(p.month_of_birth::text, 2, '0') || coalesce('-' || lpad(p.day_of_birth::text, 2, '0'), ''), ''
        )
    ) AS birth_date,
    array_remove(ARRAY[nullif(l.address_1, '')::text, nullif(l.address_2, '')::text], NULL) AS addresses,
    l.zip,
    l.city,
    array_remove(ARRAY[nullif(i.phone, ''), nullif(i.mobile, '')], NULL) AS phones,
    array_remove(ARRAY[nullif(i.email, '')], NULL) AS emails,
    i.ipp,
    v.visit_source_value AS nda,
    i.nir
FROM cdw.note AS n
INNER JOIN cdw.note_arrival AS a ON a.note_id = n.note_id
LEFT JOIN cdw.concept AS k ON k.concept_id = n.note_class_concept_id AND k.vocabulary_id = 'LOINC'
LEFT JOIN cdw.person AS p ON p.person_id = n.person_id
LEFT JOIN cdw.person_identity AS i ON i.person_id = n.person_id
LEFT JOIN cdw.location AS l ON l.location_id = p.location_id
LEFT JOIN cdw.visit_occurrence AS v ON v.visit_occurrence_id = n.visit_occurrence_id
LEFT JOIN cdw.care_site AS c ON c.care_site_id = v.care_site_id
LEFT JOIN LATERAL (
    SELECT
        h.visit_start_date,
        h.visit_end_date
    FROM (
        SELECT
            o.visit_occurrence_id,
            o.visit_start_date,
            o.visit_end_date,
            max(coalesce(o.visit_end_date, o.visit_start_date + 366)) OVER (
                ORDER BY o.visit_start_date, o.visit_occurrence_id
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS earlier_until
        FROM cdw.visit_occurrence AS o
        WHERE
            o.person_id = v.person_id
            AND (o.visit_start_date, o.visit_occurrence_id) <= (v.visit_start_date, v.visit_occurrence_id)
    ) AS h
    WHERE h.earlier_until IS NULL OR h.earlier_until < h.visit_start_date
    ORDER BY h.visit_start_date DESC, h.visit_occurrence_id DESC
    LIMIT 1
) AS e ON TRUE
WHERE n.note_id = ANY(%(document_ids)s::bigint [])
