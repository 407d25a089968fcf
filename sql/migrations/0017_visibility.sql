-- What is published and what researchers read, apart. Rows become visible in one rewriting of the whole table per
-- period, in the order of their keyed ids, without the run, the release or the time by which they came.

DROP VIEW research.note;
DROP POLICY published ON research.document;
DROP POLICY publication ON research.document;
ALTER TABLE research.document DISABLE ROW LEVEL SECURITY;
REVOKE ALL ON research.document, research.release FROM researcher, nocturne_steward;

-- Grain: one document that a release has written. `visible_from` is the month (2026-10) in which researchers first
-- read this version; null while it waits.
ALTER TABLE research.document RENAME TO published_document;
ALTER INDEX research.document_pkey RENAME TO published_document_pkey;
ALTER INDEX research.document_patient RENAME TO published_document_patient;
ALTER INDEX research.document_release RENAME TO published_document_release;
ALTER TABLE research.published_document SET SCHEMA deid;
ALTER TABLE deid.published_document ADD COLUMN visible_from text;
ALTER TABLE research.release SET SCHEMA deid;
GRANT SELECT ON deid.release TO nocturne_steward;
GRANT SELECT (patient_id, document_type, release_id) ON deid.published_document TO nocturne_steward;

-- Grain: one rewriting of what researchers read. `added`: documents or corrections that became visible.
CREATE TABLE deid.rewriting (
    rewritten_at timestamptz PRIMARY KEY DEFAULT clock_timestamp(),
    documents bigint NOT NULL,
    added bigint NOT NULL
);
GRANT SELECT, INSERT ON deid.rewriting TO nocturne_publisher;
GRANT SELECT ON deid.rewriting TO nocturne_steward;

-- Grain: one document that researchers read, in the version of the last rewriting.
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
    visible_from text NOT NULL,
    policy_hash text NOT NULL,
    pipeline_version text NOT NULL,
    detector_version text NOT NULL,
    key_fingerprint text NOT NULL
);
CREATE INDEX document_patient ON research.document (patient_id);

UPDATE deid.published_document AS p
SET visible_from = to_char(now() AT TIME ZONE 'Europe/Paris', 'YYYY-MM')
FROM deid.release AS r
WHERE p.release_id = r.release_id AND r.published_at IS NOT NULL;
INSERT INTO research.document
SELECT
    p.document_id, p.patient_id, p.stay_id, p.document_type, p.loinc_code, p.title, p.text, p.markup,
    p.reference_date, p.visible_from, p.policy_hash, p.pipeline_version, p.detector_version, p.key_fingerprint
FROM deid.published_document AS p
WHERE p.visible_from IS NOT NULL
ORDER BY p.document_id COLLATE "C";

-- Grain: one month in which documents became visible, with the versions that made them.
CREATE VIEW research.release WITH (security_invoker = true) AS
SELECT
    d.visible_from,
    count(*) AS documents,
    array_agg(DISTINCT d.policy_hash) AS policy_hashes,
    array_agg(DISTINCT d.pipeline_version) AS pipeline_versions,
    array_agg(DISTINCT d.detector_version) AS detector_versions
FROM research.document AS d
GROUP BY d.visible_from;

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

GRANT SELECT ON research.document, research.release, research.note TO nocturne_publisher, nocturne_steward, researcher;
GRANT INSERT, DELETE ON research.document TO nocturne_publisher;

-- The rows of an opt-out leave what researchers read and what waits to be read.
CREATE OR REPLACE FUNCTION deid.withdraw_pseudonym(opt_out bigint)
RETURNS TABLE (release_id bigint, document_type text, documents int)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
    WITH named AS (
        SELECT o.pseudonym FROM deid.opt_out AS o WHERE o.opt_out_id = $1 AND o.revoked_at IS NULL
    ),

    unread AS (
        DELETE FROM research.document AS d USING named AS n WHERE d.patient_id = n.pseudonym
    ),

    gone AS (
        DELETE FROM deid.published_document AS d USING named AS n
        WHERE d.patient_id = n.pseudonym
        RETURNING d.release_id, coalesce(d.document_type, '') AS document_type
    )

    INSERT INTO deid.opt_out_removal AS r (opt_out_id, release_id, document_type, documents)
    SELECT $1, g.release_id, g.document_type, count(*) FROM gone AS g GROUP BY 2, 3
    RETURNING r.release_id, r.document_type, r.documents
$$;
