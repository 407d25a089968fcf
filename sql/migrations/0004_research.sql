-- What researchers read: releases, documents under pseudonymous ids, and the same documents shaped as OMOP notes.

-- Grain: one publication of one interval. published_at is null while its batches are being written.
CREATE TABLE research.release (
    release_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    interval_key text NOT NULL,
    run_ids bigint[] NOT NULL,
    policy_hash text NOT NULL,
    pipeline_version text NOT NULL,
    staged_digest text NOT NULL,
    counts jsonb NOT NULL DEFAULT '{}',
    published_at timestamptz
);
CREATE UNIQUE INDEX release_unfinished ON research.release (interval_key) WHERE published_at IS NULL;

-- Grain: one published document, in its latest version.
CREATE TABLE research.document (
    document_id text PRIMARY KEY,
    patient_id text NOT NULL,
    stay_id text,
    document_type text,
    loinc_code text,
    title text,
    text text NOT NULL,
    markup text,
    reference_date date,
    release_id bigint NOT NULL REFERENCES research.release,
    run_id bigint NOT NULL,
    policy_hash text NOT NULL,
    pipeline_version text NOT NULL,
    detector_version text NOT NULL,
    reference_versions jsonb NOT NULL,
    published_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX document_patient ON research.document (patient_id);
CREATE INDEX document_release ON research.document (release_id);

-- A row is published once its whole release is: until then researchers do not see it.
ALTER TABLE research.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY published ON research.document FOR SELECT TO researcher, nocturne_steward
USING (release_id IN (SELECT r.release_id FROM research.release AS r WHERE r.published_at IS NOT NULL));
CREATE POLICY publication ON research.document TO nocturne_publisher USING (true) WITH CHECK (true);

-- OMOP CDM 5.4, table NOTE. Its integer ids are 60 bits of a digest of the pseudonyms. Concepts: 32817 "EHR",
-- 32678 "UTF-8", 4180190 "French language"; 0 where the vocabulary has no match without a hospital's own mapping.
CREATE VIEW research.note WITH (security_invoker = true) AS
SELECT
    ('x' || left(md5(d.document_id), 15))::bit(60)::bigint AS note_id,
    ('x' || left(md5(d.patient_id), 15))::bit(60)::bigint AS person_id,
    d.reference_date AS note_date,
    d.reference_date::timestamp AS note_datetime,
    32817 AS note_type_concept_id,
    0 AS note_class_concept_id,
    d.title AS note_title,
    d.text AS note_text,
    32678 AS encoding_concept_id,
    4180190 AS language_concept_id,
    null::bigint AS provider_id,
    ('x' || left(md5(d.stay_id), 15))::bit(60)::bigint AS visit_occurrence_id,
    null::bigint AS visit_detail_id,
    d.document_id AS note_source_value,
    null::bigint AS note_event_id,
    0 AS note_event_field_concept_id,
    coalesce(d.loinc_code, d.document_type) AS note_class_source_value
FROM research.document AS d;

GRANT SELECT ON research.release, research.document, research.note TO nocturne_publisher, nocturne_steward, researcher;
GRANT INSERT, UPDATE ON research.release TO nocturne_publisher;
GRANT INSERT, UPDATE, DELETE ON research.document TO nocturne_publisher;
