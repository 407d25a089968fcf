-- Whether the published texts of a patient agree on who the patient is: counts that stewards read, digests that they
-- do not.

-- `agreement`: kind → [stated, violated], null until the document is validated. `said`: [[kind, source, value, times]],
-- source and value as digests under the secret and the patient, for the worker alone to compare documents of any night.
ALTER TABLE deid.document ADD COLUMN agreement jsonb, ADD COLUMN said jsonb;

CREATE OR REPLACE VIEW deid.counted_document WITH (security_invoker = true) AS
SELECT DISTINCT ON (r.interval_key, d.document_id)
    r.interval_key, d.document_id, d.content_hash, d.run_id, d.state, d.patient_id, d.document_type, d.characters,
    d.constraints, d.agreement
FROM deid.document AS d
INNER JOIN deid.run AS r ON d.run_id = r.run_id
WHERE d.state <> 'superseded' AND NOT r.dry_run
ORDER BY r.interval_key, d.document_id, d.run_id DESC;

GRANT SELECT (agreement) ON deid.document TO nocturne_publisher, nocturne_steward;

-- Kind → number of values that disagree, of the kinds that have any; null where nothing disagrees.
CREATE FUNCTION deid.disagreements(agreement jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog AS $$
    SELECT jsonb_object_agg(a.key, a.value -> 1) FROM jsonb_each(agreement) AS a WHERE (a.value ->> 1)::int > 0
$$;
REVOKE ALL ON FUNCTION deid.disagreements(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.disagreements(jsonb) TO nocturne_worker, nocturne_publisher, nocturne_steward;

-- Digests stay as long as the text that they are of is published, or on its way.
CREATE FUNCTION deid.forget_said() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    NEW.said := NULL;
    RETURN NEW;
END
$$;
CREATE TRIGGER forget_said BEFORE UPDATE OF state ON deid.document FOR EACH ROW
WHEN (new.said IS NOT NULL AND new.state NOT IN ('validated', 'staged', 'published'))
EXECUTE FUNCTION deid.forget_said();

-- Kind → number, of a published document that disagrees with others of its patient or with itself; null if none does.
ALTER TABLE deid.published_document ADD COLUMN disagreements jsonb;

-- Grain: one published document that disagrees. Its id is the one that researchers read it by.
CREATE VIEW deid.disagreeing_document AS
SELECT r.interval_key, p.document_id, p.disagreements
FROM deid.published_document AS p
INNER JOIN deid.release AS r ON p.release_id = r.release_id
WHERE p.disagreements IS NOT NULL;
GRANT SELECT ON deid.disagreeing_document TO nocturne_steward;
