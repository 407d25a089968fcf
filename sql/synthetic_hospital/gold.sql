-- Grain: one true mention of one version of one document.
-- Purpose: what identifies somebody in the fictional documents, known because the generator wrote it. Kept outside
-- cdw: no step of the pipeline may read it; any run can be scored against it.
CREATE SCHEMA IF NOT EXISTS gold;

CREATE TABLE IF NOT EXISTS gold.mention (
    document_id text NOT NULL,
    content_hash text NOT NULL,
    start_offset integer NOT NULL,
    end_offset integer NOT NULL,
    label text NOT NULL,
    PRIMARY KEY (document_id, content_hash, start_offset),
    CHECK (start_offset >= 0 AND end_offset > start_offset)
);
COMMENT ON TABLE gold.mention IS
'Offsets count code points of the text that deid.formats.read extracts from the content of that SHA-256.';
