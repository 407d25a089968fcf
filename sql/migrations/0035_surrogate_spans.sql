-- Where the surrogates of a published text stand, if the policy lets it leave as a training document: a span tells
-- where a mention was, and so, by its absence elsewhere, which words were never replaced.

-- [[start, end, label], …] in `text`, of rows whose policy has release.training_export; null of the others.
ALTER TABLE deid.published_document ADD COLUMN spans jsonb;

-- Grain: one document that researchers read, in the version that they read, whose policy lets it leave.
CREATE VIEW deid.training_document AS
SELECT d.document_id, d.document_type, d.text, p.spans
FROM research.document AS d
INNER JOIN deid.published_document AS p ON d.document_id = p.document_id AND d.text = p.text
WHERE p.spans IS NOT NULL;
GRANT SELECT ON deid.training_document TO nocturne_steward;
