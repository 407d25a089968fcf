-- Integer ids of schema research that are unique, drawn at random and kept. OMOP's columns are integers of 32 bits:
-- ids are below 2^31 while that many are free, and below 2^53 then, which a double holds. 53 bits of a digest, as they
-- were, met with a probability of 0.6 % over ten million, and did not fit an integer.

-- Grain: one published document, patient or stay that was given an integer id; `name` is its pseudonym. A draw is
-- repeated until it is free, so that no id tells when it was given.
CREATE TABLE deid.omop_id (
    kind text NOT NULL CHECK (kind IN ('document', 'patient', 'stay')),
    name text NOT NULL,
    id bigint NOT NULL CHECK (id > 0),
    PRIMARY KEY (kind, name),
    UNIQUE (kind, id)
);

-- The table is nobody's to read: its rows lie in the order in which they came.
CREATE FUNCTION deid.omop_id_of(kind text, name text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    known bigint;
    drawn bigint;
BEGIN
    IF $2 IS NULL THEN
        RETURN NULL;
    END IF;
    FOR attempt IN 0 .. 1000 LOOP
        SELECT o.id INTO known FROM deid.omop_id AS o WHERE o.kind = $1 AND o.name = $2;
        IF FOUND THEN
            RETURN known;
        END IF;
        drawn := ('x' || left(md5(gen_random_uuid()::text), 15))::bit(60)::bigint;
        INSERT INTO deid.omop_id (kind, name, id)
        VALUES ($1, $2, 1 + drawn % CASE WHEN attempt < 64 THEN 2147483647 ELSE 9007199254740991 END)
        ON CONFLICT DO NOTHING;
    END LOOP;
    RAISE EXCEPTION 'no integer id is free';
END
$$;
REVOKE EXECUTE ON FUNCTION deid.omop_id_of(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.omop_id_of(text, text) TO nocturne_publisher, nocturne_worker;

-- A patient without a published document, and a stay without one, have no id any more: after an opt-out no row is left
-- of theirs. Ids of documents stay, with which researchers purge copies (research.withdrawn_document).
CREATE FUNCTION deid.forget_omop_ids() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    DELETE FROM deid.omop_id AS o USING old_rows AS r
    WHERE
        o.kind = 'patient' AND o.name = r.patient_id
        AND NOT EXISTS (SELECT FROM deid.published_document AS p WHERE p.patient_id = r.patient_id);
    DELETE FROM deid.omop_id AS o USING old_rows AS r
    WHERE
        o.kind = 'stay' AND o.name = r.stay_id
        AND NOT EXISTS (
            SELECT FROM deid.published_document AS p WHERE p.patient_id = r.patient_id AND p.stay_id = r.stay_id
        );
    RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION deid.forget_omop_ids() FROM PUBLIC;
CREATE TRIGGER forgotten AFTER DELETE ON deid.published_document
REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION deid.forget_omop_ids();

CREATE OR REPLACE FUNCTION deid.number_document() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    NEW.note_id := deid.omop_id_of('document', NEW.document_id);
    IF TG_TABLE_NAME = 'document' THEN
        NEW.person_id := deid.omop_id_of('patient', NEW.patient_id);
        NEW.visit_occurrence_id := deid.omop_id_of('stay', NEW.stay_id);
    END IF;
    RETURN NEW;
END
$$;
UPDATE research.document SET note_id = note_id;
UPDATE deid.removed_document SET note_id = note_id;

-- Unique as well, for the first 2^21 mentions of a document whose id is below 2^31.
CREATE OR REPLACE VIEW research.note_nlp WITH (security_invoker = true) AS
SELECT
    CASE
        WHEN d.note_id < 2147483648 AND s.place < 2097152 THEN d.note_id * 2097152 + s.place
        ELSE ('x' || left(md5(d.document_id || ' ' || s.place), 14))::bit(56)::bigint >> 3
    END AS note_nlp_id,
    d.note_id,
    0 AS section_concept_id,
    null::text AS snippet,
    s.span ->> 0 AS "offset",
    substr(d.text, (s.span ->> 0)::int + 1, (s.span ->> 1)::int - (s.span ->> 0)::int) AS lexical_variant,
    0 AS note_nlp_concept_id,
    0 AS note_nlp_source_concept_id,
    'nocturne ' || d.detector_version AS nlp_system,
    null::date AS nlp_date,
    null::timestamp AS nlp_datetime,
    'Y' AS term_exists,
    null::text AS term_temporal,
    'label=' || (s.span ->> 2) AS term_modifiers
FROM research.document AS d
CROSS JOIN jsonb_array_elements(d.spans) WITH ORDINALITY AS s (span, place);

COMMENT ON COLUMN research.document.note_id IS
'Identifiant entier du document : tiré au hasard, unique et gardé ; sous 2^31 tant qu''il en reste, toujours sous '
'2^53. / Integer id of the document: drawn at random, unique and kept; below 2^31 while some are free, always below '
'2^53.';
COMMENT ON COLUMN research.document.person_id IS
'Identifiant entier du patient : tiré au hasard, unique et gardé, comme note_id. / Integer id of the patient: drawn at '
'random, unique and kept, as note_id.';
COMMENT ON COLUMN research.document.visit_occurrence_id IS
'Identifiant entier du séjour : tiré au hasard, unique et gardé, comme note_id. / Integer id of the stay: drawn at '
'random, unique and kept, as note_id.';
COMMENT ON COLUMN research.note_nlp.note_nlp_id IS
'note_id et rang du substitut : unique, sous 2^53. / note_id and rank of the surrogate: unique, below 2^53.';
