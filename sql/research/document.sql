-- name: keep_former
-- Grain: one document that researchers read. Purpose: those whose correction is in a release that is not complete:
-- the version that is read stays until it is.
CREATE TEMPORARY TABLE former ON COMMIT DROP AS
SELECT
    v.document_id, v.patient_id, v.stay_id, v.document_type, v.loinc_code, v.title, v.text, v.markup, v.reference_date,
    v.visible_from, v.policy_hash, v.pipeline_version, v.detector_version, v.key_fingerprint, v.file, v.file_type,
    v.file_suffix, v.sex, v.age_class, v.birth_year, v.service, v.spans,
    EXISTS (SELECT FROM deid.unique_text AS u WHERE u.document_id = v.document_id) AS told_unique
FROM research.document AS v
INNER JOIN deid.published_document AS p ON v.document_id = p.document_id
INNER JOIN deid.release AS r ON p.release_id = r.release_id
WHERE r.published_at IS NULL;

-- name: label
-- Grain: one document of a complete release that nobody could read yet. Purpose: the month in which it is first read.
UPDATE deid.published_document AS p
SET visible_from = %(month)s, former_release_id = NULL
FROM deid.release AS r
WHERE p.release_id = r.release_id AND r.published_at IS NOT NULL AND p.visible_from IS NULL;

-- name: empty
-- Grain: one document that researchers read. Purpose: all are written again; a reader sees the former ones until then.
DELETE FROM research.document;

-- name: fill
-- Grain: one document of a complete release. Purpose: what researchers read from now on, in the order of ids that are
-- drawn from the secret, so that neither place nor version of a row tells when it came. Type and stay are what the
-- policy of the row shows of them.
WITH policies AS MATERIALIZED (
    SELECT
        q.policy_hash,
        q.content -> 'publication' AS publication,
        q.content #>> '{publication,types}' <> 'warehouse' AS untyped,
        q.content #>> '{publication,stay}' <> 'pseudonym' AS without_stay
    FROM deid.policy AS q
)

INSERT INTO research.document (
    document_id, patient_id, stay_id, document_type, loinc_code, title, text, markup, reference_date, visible_from,
    policy_hash, pipeline_version, detector_version, key_fingerprint, file, file_type, file_suffix, sex, age_class,
    birth_year, service, spans
)
SELECT w.*
FROM (
    SELECT
        p.document_id, p.patient_id, CASE WHEN q.without_stay THEN NULL ELSE p.stay_id END AS stay_id,
        deid.shown_type(q.publication, p.document_type, p.loinc_code) AS document_type,
        CASE WHEN q.untyped THEN NULL ELSE p.loinc_code END AS loinc_code,
        CASE WHEN q.untyped THEN NULL ELSE p.title END AS title,
        p.text, p.markup, p.reference_date, p.visible_from, p.policy_hash, p.pipeline_version, p.detector_version,
        p.key_fingerprint, p.file, p.file_type, p.file_suffix, p.attributes ->> 'sex' AS sex,
        p.attributes ->> 'age_class' AS age_class,
        (p.attributes ->> 'birth_year')::int AS birth_year, p.attributes ->> 'service' AS service, p.shown_spans
    FROM deid.published_document AS p
    INNER JOIN deid.release AS r ON p.release_id = r.release_id
    LEFT JOIN policies AS q ON p.policy_hash = q.policy_hash
    WHERE r.published_at IS NOT NULL
    UNION ALL
    SELECT
        f.document_id, f.patient_id, f.stay_id, f.document_type, f.loinc_code, f.title, f.text, f.markup,
        f.reference_date, f.visible_from, f.policy_hash, f.pipeline_version, f.detector_version, f.key_fingerprint,
        f.file, f.file_type, f.file_suffix, f.sex, f.age_class, f.birth_year, f.service, f.spans
    FROM former AS f
) AS w
ORDER BY w.document_id COLLATE "C";

-- name: file
-- Grain: one document that researchers read. Purpose: its rewritten file; a steward's reading is recorded.
SELECT f.media_type, f.suffix, f.file
FROM deid.read_published_file(%(document_id)s, %(steward)s) AS f;

-- name: read
-- Grain: one document that researchers read. Purpose: its text, and its patient's other documents; a steward's reading
-- is recorded.
SELECT d.text, d.visible_from, d.has_file, d.others
FROM deid.read_published(%(document_id)s, %(steward)s) AS d;
