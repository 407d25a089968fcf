-- name: keep_former
-- Grain: one document that researchers read. Purpose: those whose correction is in a release that is not complete:
-- the version that is read stays until it is.
CREATE TEMPORARY TABLE former ON COMMIT DROP AS
SELECT v.*
FROM research.document AS v
INNER JOIN deid.published_document AS p ON v.document_id = p.document_id
INNER JOIN deid.release AS r ON p.release_id = r.release_id
WHERE r.published_at IS NULL;

-- name: label
-- Grain: one document of a complete release that nobody could read yet. Purpose: the month in which it is first read.
UPDATE deid.published_document AS p
SET visible_from = %(month)s
FROM deid.release AS r
WHERE p.release_id = r.release_id AND r.published_at IS NOT NULL AND p.visible_from IS NULL;

-- name: empty
-- Grain: one document that researchers read. Purpose: all are written again; a reader sees the former ones until then.
DELETE FROM research.document;

-- name: fill
-- Grain: one document of a complete release. Purpose: what researchers read from now on, in the order of ids that are
-- drawn from the secret, so that neither place nor version of a row tells when it came.
INSERT INTO research.document (
    document_id, patient_id, stay_id, document_type, loinc_code, title, text, markup, reference_date, visible_from,
    policy_hash, pipeline_version, detector_version, key_fingerprint, file, file_type, file_suffix
)
SELECT w.*
FROM (
    SELECT
        p.document_id, p.patient_id, p.stay_id, p.document_type, p.loinc_code, p.title, p.text, p.markup,
        p.reference_date, p.visible_from, p.policy_hash, p.pipeline_version, p.detector_version, p.key_fingerprint,
        p.file, p.file_type, p.file_suffix
    FROM deid.published_document AS p
    INNER JOIN deid.release AS r ON p.release_id = r.release_id
    WHERE r.published_at IS NOT NULL
    UNION ALL
    SELECT f.* FROM former AS f
) AS w
ORDER BY w.document_id COLLATE "C";

-- name: file
-- Grain: one document that researchers read. Purpose: its rewritten file.
SELECT f.media_type, f.suffix, f.file
FROM research.document_file AS f
WHERE f.document_id = %(document_id)s;

-- name: read
-- Grain: one document that researchers read. Purpose: its text, and its patient's other documents.
SELECT
    d.text,
    d.visible_from,
    d.file IS NOT NULL AS has_file,
    ARRAY(
        SELECT o.document_id
        FROM research.document AS o
        WHERE o.patient_id = d.patient_id AND o.document_id <> d.document_id
        ORDER BY o.document_id
    ) AS others
FROM research.document AS d
WHERE d.document_id = %(document_id)s;
