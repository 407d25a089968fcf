-- Grain: one row per person, location, visit, diagnosis, care site, provider and note, with the columns of the OMOP CDM
-- 5.4.
-- Purpose: the same warehouse as an OMOP site exposes it, for `sql/sources/omop`. Views, so that both always agree.
-- OMOP has no place for names, for the day of arrival nor for withdrawal: sites keep them in tables of their own,
-- here cdw.person_identity, cdw.person_merge and cdw.note_arrival.
CREATE OR REPLACE FUNCTION cdw.numeric_id(identifier text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT substring(identifier FROM 2)::bigint $$;
COMMENT ON FUNCTION cdw.numeric_id IS 'P000012 → 12: the integer key that OMOP wants.';

CREATE OR REPLACE FUNCTION cdw.readable(content bytea, charset text) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN convert_from(content, charset::name);
EXCEPTION WHEN character_not_in_repertoire OR untranslatable_character OR invalid_parameter_value THEN
    RETURN NULL;
END $$;
COMMENT ON FUNCTION cdw.readable IS 'The text of a document, null when its bytes are not in the declared charset.';

CREATE OR REPLACE VIEW cdw.location AS
SELECT
    cdw.numeric_id(patient_id) AS location_id,
    address::varchar(100) AS address_1,
    NULL::varchar(50) AS address_2,
    city::varchar(50) AS city,
    NULL::varchar(2) AS state,
    zip::varchar(9) AS zip,
    NULL::varchar(20) AS county,
    insee::varchar(50) AS location_source_value,
    4195098 AS country_concept_id,
    'France'::varchar(80) AS country_source_value,
    NULL::numeric AS latitude,
    NULL::numeric AS longitude
FROM cdw.patient;

CREATE OR REPLACE VIEW cdw.person AS
SELECT
    cdw.numeric_id(patient_id) AS person_id,
    CASE sex WHEN 'M' THEN 8507 WHEN 'F' THEN 8532 ELSE 0 END AS gender_concept_id,
    extract(YEAR FROM birth_date)::integer AS year_of_birth,
    extract(MONTH FROM birth_date)::integer AS month_of_birth,
    extract(DAY FROM birth_date)::integer AS day_of_birth,
    birth_date::timestamp AS birth_datetime,
    0 AS race_concept_id,
    0 AS ethnicity_concept_id,
    cdw.numeric_id(patient_id) AS location_id,
    NULL::bigint AS provider_id,
    NULL::bigint AS care_site_id,
    patient_id::varchar(50) AS person_source_value,
    sex::varchar(50) AS gender_source_value,
    0 AS gender_source_concept_id,
    NULL::varchar(50) AS race_source_value,
    0 AS race_source_concept_id,
    NULL::varchar(50) AS ethnicity_source_value,
    0 AS ethnicity_source_concept_id
FROM cdw.patient;

CREATE OR REPLACE VIEW cdw.person_merge AS
SELECT
    cdw.numeric_id(patient_id) AS person_id,
    cdw.numeric_id(merged_into) AS merged_into
FROM cdw.patient_merge;

CREATE OR REPLACE VIEW cdw.person_identity AS
SELECT
    cdw.numeric_id(patient_id) AS person_id,
    last_name,
    birth_name,
    first_names,
    ipp,
    nir,
    phone,
    mobile,
    email
FROM cdw.patient;

CREATE OR REPLACE VIEW cdw.care_site AS
SELECT
    dense_rank() OVER (ORDER BY s.service_code COLLATE "C") AS care_site_id,
    max(s.service)::varchar(255) AS care_site_name,
    0 AS place_of_service_concept_id,
    NULL::bigint AS location_id,
    s.service_code::varchar(50) AS care_site_source_value,
    NULL::varchar(50) AS place_of_service_source_value
FROM (
    SELECT service_code, service_name AS service FROM cdw.stay
    UNION
    SELECT service_code, NULL FROM cdw.staff
) AS s
WHERE s.service_code IS NOT NULL
GROUP BY s.service_code;

CREATE OR REPLACE VIEW cdw.provider AS
SELECT
    cdw.numeric_id(m.staff_id) AS provider_id,
    concat_ws(' ', m.first_name, m.last_name)::varchar(255) AS provider_name,
    NULL::varchar(20) AS npi,
    NULL::varchar(20) AS dea,
    0 AS specialty_concept_id,
    c.care_site_id,
    NULL::integer AS year_of_birth,
    0 AS gender_concept_id,
    m.rpps::varchar(50) AS provider_source_value,
    m.role::varchar(50) AS specialty_source_value,
    0 AS specialty_source_concept_id,
    NULL::varchar(50) AS gender_source_value,
    0 AS gender_source_concept_id
FROM cdw.staff AS m
LEFT JOIN cdw.care_site AS c ON m.service_code = c.care_site_source_value;

CREATE OR REPLACE VIEW cdw.visit_occurrence AS
SELECT
    cdw.numeric_id(s.stay_id) AS visit_occurrence_id,
    cdw.numeric_id(s.patient_id) AS person_id,
    CASE WHEN s.service_code = 'URGE' THEN 9203 WHEN s.admitted_on = s.discharged_on THEN 9202 ELSE 9201 END
        AS visit_concept_id,
    s.admitted_on AS visit_start_date,
    s.admitted_on::timestamp AS visit_start_datetime,
    coalesce(s.discharged_on, s.admitted_on) AS visit_end_date,
    coalesce(s.discharged_on, s.admitted_on)::timestamp AS visit_end_datetime,
    32817 AS visit_type_concept_id,
    NULL::bigint AS provider_id,
    c.care_site_id,
    s.nda::varchar(50) AS visit_source_value,
    0 AS visit_source_concept_id,
    0 AS admitted_from_concept_id,
    NULL::varchar(50) AS admitted_from_source_value,
    0 AS discharged_to_concept_id,
    NULL::varchar(50) AS discharged_to_source_value,
    NULL::bigint AS preceding_visit_occurrence_id
FROM cdw.stay AS s
LEFT JOIN cdw.care_site AS c ON s.service_code = c.care_site_source_value;

CREATE OR REPLACE VIEW cdw.concept AS
SELECT
    0 AS concept_id,
    'No matching concept'::varchar(255) AS concept_name,
    'Metadata'::varchar(20) AS domain_id,
    'None'::varchar(20) AS vocabulary_id,
    'Undefined'::varchar(20) AS concept_class_id,
    NULL::varchar(1) AS standard_concept,
    'No matching concept'::varchar(50) AS concept_code,
    date '1970-01-01' AS valid_start_date,
    date '2099-12-31' AS valid_end_date,
    NULL::varchar(1) AS invalid_reason
UNION ALL
SELECT
    (2000000000 + dense_rank() OVER (ORDER BY l.code COLLATE "C"))::integer,
    'LOINC ' || l.code,
    'Note',
    'LOINC',
    'Note Type',
    'S',
    l.code,
    date '1970-01-01',
    date '2099-12-31',
    NULL
FROM (SELECT DISTINCT loinc_code AS code FROM cdw.document WHERE loinc_code IS NOT NULL) AS l;

CREATE OR REPLACE VIEW cdw.condition_occurrence AS
SELECT
    1000 * cdw.numeric_id(s.stay_id) + i.position AS condition_occurrence_id,
    cdw.numeric_id(s.patient_id) AS person_id,
    0 AS condition_concept_id,
    s.admitted_on AS condition_start_date,
    s.admitted_on::timestamp AS condition_start_datetime,
    s.discharged_on AS condition_end_date,
    s.discharged_on::timestamp AS condition_end_datetime,
    32817 AS condition_type_concept_id,
    CASE i.position WHEN 1 THEN 32902 ELSE 32908 END AS condition_status_concept_id,
    NULL::varchar(20) AS stop_reason,
    NULL::bigint AS provider_id,
    cdw.numeric_id(s.stay_id) AS visit_occurrence_id,
    NULL::bigint AS visit_detail_id,
    i.code::varchar(50) AS condition_source_value,
    0 AS condition_source_concept_id,
    NULL::varchar(50) AS condition_status_source_value
FROM cdw.diagnosis AS i
INNER JOIN cdw.stay AS s ON i.stay_id = s.stay_id;

CREATE OR REPLACE VIEW cdw.note AS
SELECT
    cdw.numeric_id(d.document_id) AS note_id,
    cdw.numeric_id(d.patient_id) AS person_id,
    d.written_on AS note_date,
    d.written_on::timestamp AS note_datetime,
    32817 AS note_type_concept_id,
    coalesce(k.concept_id, 0) AS note_class_concept_id,
    d.title::varchar(250) AS note_title,
    cdw.readable(d.content, d.charset) AS note_text,
    32678 AS encoding_concept_id,
    4180190 AS language_concept_id,
    cdw.numeric_id(d.author_id) AS provider_id,
    cdw.numeric_id(d.stay_id) AS visit_occurrence_id,
    NULL::bigint AS visit_detail_id,
    d.document_id::varchar(50) AS note_source_value,
    NULL::bigint AS note_event_id,
    NULL::integer AS note_event_field_concept_id
FROM cdw.document AS d
LEFT JOIN cdw.concept AS k ON k.concept_code = d.loinc_code AND k.vocabulary_id = 'LOINC';

CREATE OR REPLACE VIEW cdw.note_arrival AS
SELECT
    cdw.numeric_id(document_id) AS note_id,
    document_id,
    type_code,
    format,
    ingested_at,
    withdrawn_at
FROM cdw.document;
