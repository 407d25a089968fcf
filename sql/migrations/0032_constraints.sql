-- How many relations that a text states between its dates, ages and lengths its published text keeps: counts, no value.

-- Null until the document is validated: kind → [stated, kept, violated]. Lengths were counted before, and stay counted.
ALTER TABLE deid.document ADD COLUMN constraints jsonb;

UPDATE deid.document
SET constraints = jsonb_build_object('length', jsonb_build_array(durations, durations - durations_lost, durations_lost))
WHERE durations > 0;

DROP VIEW deid.counted_document;

ALTER TABLE deid.document
DROP COLUMN durations,
DROP COLUMN durations_lost;

-- Grain: one document of one interval: its version that counts, the latest that no other has superseded.
CREATE VIEW deid.counted_document WITH (security_invoker = true) AS
SELECT DISTINCT ON (r.interval_key, d.document_id)
    r.interval_key, d.document_id, d.content_hash, d.run_id, d.state, d.patient_id, d.document_type, d.characters,
    d.constraints
FROM deid.document AS d
INNER JOIN deid.run AS r ON d.run_id = r.run_id
WHERE d.state <> 'superseded' AND NOT r.dry_run
ORDER BY r.interval_key, d.document_id, d.run_id DESC;

GRANT SELECT (constraints) ON deid.document TO nocturne_publisher, nocturne_steward;
GRANT SELECT ON deid.counted_document TO nocturne_publisher, nocturne_steward;
