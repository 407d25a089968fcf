-- What researchers use: integer ids that a double holds, words to search, and when rows change next.

-- 53 bits of a digest of the pseudonym: R, JavaScript and spreadsheets hold numbers as doubles, which round beyond.
-- PostgreSQL 15 cannot change the expression of a generated column: a trigger gives the ids from now on.
ALTER TABLE research.document
ALTER COLUMN note_id DROP EXPRESSION,
ALTER COLUMN person_id DROP EXPRESSION,
ALTER COLUMN visit_occurrence_id DROP EXPRESSION;
ALTER TABLE deid.removed_document ALTER COLUMN note_id DROP EXPRESSION;

CREATE FUNCTION deid.number_document() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    NEW.note_id := ('x' || left(md5(NEW.document_id), 14))::bit(56)::bigint >> 3;
    IF TG_TABLE_NAME = 'document' THEN
        NEW.person_id := ('x' || left(md5(NEW.patient_id), 14))::bit(56)::bigint >> 3;
        NEW.visit_occurrence_id := ('x' || left(md5(NEW.stay_id), 14))::bit(56)::bigint >> 3;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER numbered BEFORE INSERT OR UPDATE ON research.document
FOR EACH ROW EXECUTE FUNCTION deid.number_document();
CREATE TRIGGER numbered BEFORE INSERT OR UPDATE ON deid.removed_document
FOR EACH ROW EXECUTE FUNCTION deid.number_document();
UPDATE research.document SET note_id = note_id;
UPDATE deid.removed_document SET note_id = note_id;

CREATE OR REPLACE VIEW research.note_nlp WITH (security_invoker = true) AS
SELECT
    ('x' || left(md5(d.document_id || ' ' || s.place), 14))::bit(56)::bigint >> 3 AS note_nlp_id,
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

-- The first 250,000 characters: those of any text fit into what PostgreSQL allows the words of one row.
CREATE FUNCTION research.words(text text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT to_tsvector('french', left(text, 250000))
$$;
GRANT EXECUTE ON FUNCTION research.words(text) TO nocturne_publisher, nocturne_steward, researcher;
CREATE INDEX document_words ON research.document USING gin (research.words(text));

-- Grain: the last rewriting of what researchers read; one row, written with it.
CREATE TABLE research.visibility (
    rewritten_on date NOT NULL,
    period text NOT NULL CHECK (period IN ('nightly', 'weekly', 'monthly')),
    unchanged_until date NOT NULL
);
GRANT SELECT ON research.visibility TO nocturne_publisher, nocturne_steward, researcher;
GRANT INSERT, DELETE ON research.visibility TO nocturne_publisher;

COMMENT ON FUNCTION research.words(text) IS
'Mots d''un texte, pour research.words(text) @@ websearch_to_tsquery(''french'', ''…''), que l''index sert. / Words of '
'a text, for research.words(text) @@ websearch_to_tsquery(''french'', ''…''), which the index serves.';
COMMENT ON TABLE research.visibility IS
'Une ligne : quand les documents lisibles ont été réécrits, et jusqu''à quand rien ne s''ajoute. / One row: when the '
'readable documents were rewritten, and until when none is added.';
COMMENT ON COLUMN research.visibility.rewritten_on IS
'Jour de la dernière réécriture. / Day of the last rewriting.';
COMMENT ON COLUMN research.visibility.period IS
'Période de la politique : nightly, weekly (lundi) ou monthly (le 1er). / Period of the policy: nightly, weekly '
'(Monday) or monthly (the 1st).';
COMMENT ON COLUMN research.visibility.unchanged_until IS
'Jour à partir duquel la prochaine publication peut ajouter ou corriger des documents ; les retraits n''attendent '
'pas. / Day from which the next publication may add or correct documents; withdrawals do not wait.';
COMMENT ON COLUMN research.document.note_id IS
'Identifiant entier du document : 53 bits d''un condensé de document_id, indexé. / Integer id of the document: 53 '
'bits of a digest of document_id, indexed.';
COMMENT ON COLUMN research.document.person_id IS
'Identifiant entier du patient : 53 bits d''un condensé de patient_id, indexé. / Integer id of the patient: 53 '
'bits of a digest of patient_id, indexed.';
COMMENT ON COLUMN research.document.visit_occurrence_id IS
'Identifiant entier du séjour : 53 bits d''un condensé de stay_id, indexé. / Integer id of the stay: 53 bits of a '
'digest of stay_id, indexed.';
COMMENT ON COLUMN research.note_nlp.note_nlp_id IS
'53 bits d''un condensé du document et du rang. / 53 bits of a digest of document and rank.';
