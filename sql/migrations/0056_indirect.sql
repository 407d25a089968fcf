-- How many indirect identifiers (occupation, family, religion…) the text of a document keeps: label → mentions. Null
-- until the document is validated, and for those validated before.
ALTER TABLE deid.document ADD COLUMN indirect jsonb;
GRANT SELECT (indirect) ON deid.document TO nocturne_publisher, nocturne_steward;
