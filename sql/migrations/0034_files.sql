-- Files of any format: what the ledger learns of one, and the rewritten file, which goes to researchers as a text does.

-- `file_format` and `removed` (kind → number of things, such as images, that neither text nor rewritten file has) are
-- null for a text; `file_digest`, of a file that lies on a share, under the secret, is for the worker alone: a file
-- that changes during the night is not the one in which mentions were found.
ALTER TABLE deid.document ADD COLUMN file_format text, ADD COLUMN removed jsonb, ADD COLUMN file_digest text;
GRANT SELECT (file_format, removed) ON deid.document TO nocturne_publisher, nocturne_steward;

CREATE OR REPLACE VIEW deid.counted_document WITH (security_invoker = true) AS
SELECT DISTINCT ON (r.interval_key, d.document_id)
    r.interval_key, d.document_id, d.content_hash, d.run_id, d.state, d.patient_id, d.document_type, d.characters,
    d.constraints, d.agreement, d.file_format, d.removed
FROM deid.document AS d
INNER JOIN deid.run AS r ON d.run_id = r.run_id
WHERE d.state <> 'superseded' AND NOT r.dry_run
ORDER BY r.interval_key, d.document_id, d.run_id DESC;

-- The rewritten file is a part of its document's row: what removes, corrects or hides the row does so to the file.
ALTER TABLE deid.candidate
ADD COLUMN file bytea, ADD COLUMN file_type text, ADD COLUMN file_suffix text,
ALTER COLUMN file SET STORAGE EXTERNAL,
ADD CHECK ((file IS NULL) = (file_type IS NULL) AND (file IS NULL) = (file_suffix IS NULL));
ALTER TABLE deid.published_document
ADD COLUMN file bytea, ADD COLUMN file_type text, ADD COLUMN file_suffix text,
ALTER COLUMN file SET STORAGE EXTERNAL;
ALTER TABLE research.document
ADD COLUMN file bytea, ADD COLUMN file_type text, ADD COLUMN file_suffix text,
ALTER COLUMN file SET STORAGE EXTERNAL;
COMMENT ON COLUMN research.document.file IS
'The document in its own format with surrogates; null where the hospital publishes text only, or has text only.';
COMMENT ON COLUMN research.document.file_type IS 'Media type of file.';
COMMENT ON COLUMN research.document.file_suffix IS 'Ending of a name for file, such as .docx.';

-- Grain: one rewritten file that researchers read.
CREATE VIEW research.document_file WITH (security_invoker = true) AS
SELECT d.document_id, d.patient_id, d.file_type AS media_type, d.file_suffix AS suffix, length(d.file) AS size, d.file
FROM research.document AS d
WHERE d.file IS NOT NULL;
COMMENT ON VIEW research.document_file IS 'Published documents in their own formats, rewritten with surrogates.';
COMMENT ON COLUMN research.document_file.media_type IS 'Media type of file.';
COMMENT ON COLUMN research.document_file.suffix IS 'Ending of a name for file, such as .docx.';
COMMENT ON COLUMN research.document_file.size IS 'Bytes of file.';
COMMENT ON COLUMN research.document_file.file IS 'Bytes, to be written to a file of that ending.';
GRANT SELECT ON research.document_file TO nocturne_publisher, nocturne_steward, researcher;

-- Grain: one document whose rewritten file passed every check and waits for publication: what a reviewer may download.
CREATE VIEW deid.staged_file AS
SELECT c.run_id, c.document_id, d.content_hash, c.file_type, c.file_suffix, c.file
FROM deid.candidate AS c
INNER JOIN deid.document AS d ON c.document_id = d.document_id AND c.run_id = d.run_id
WHERE d.state = 'staged' AND c.file IS NOT NULL;
GRANT SELECT ON deid.staged_file TO nocturne_steward;

-- Everything of a document that publication writes and that is not a stamp of the run, behind the run's salt. Of a
-- document without a file the digest is what it was.
DROP FUNCTION deid.content_digest(text, text, text, text, text, text, text, text, text, date);
CREATE FUNCTION deid.content_digest(
    salt text, content_hash text, patient_id text, stay_id text, document_type text, loinc_code text, title text,
    text text, markup text, reference_date date, file bytea DEFAULT NULL, file_type text DEFAULT NULL,
    file_suffix text DEFAULT NULL
) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT encode(sha256(convert_to((
        jsonb_build_array($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        || CASE WHEN $11 IS NULL THEN '[]' ELSE jsonb_build_array(encode(sha256($11), 'hex'), $12, $13) END
    )::text, 'UTF8')), 'hex')
$$;
