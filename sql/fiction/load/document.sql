-- Grain: one document of incoming_document, in the version of a given night.
-- Purpose: add it, or bring it forward to a later version. A document never goes back to an earlier one, so that
-- loading an early night after a late one changes nothing.
INSERT INTO cdw.document (
    document_id, patient_id, stay_id, type_code, loinc_code, title, format, charset, content, author_id, written_on,
    ingested_at, withdrawn_at
)
SELECT
    document_id, patient_id, stay_id, type_code, loinc_code, title, format, charset, content, author_id, written_on,
    ingested_at, withdrawn_at
FROM incoming_document
ON CONFLICT (document_id) DO UPDATE
    SET
        content = excluded.content,
        ingested_at = excluded.ingested_at,
        withdrawn_at = excluded.withdrawn_at
WHERE document.ingested_at < excluded.ingested_at
