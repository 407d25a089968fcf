-- What researchers find beside the texts: comments, stored integer ids, OMOP person, visit, note and note_nlp, what the
-- policy did to each label and column, columns that the policy publishes.

-- What the policy publishes beside the text (`publication.columns`), null if nothing: drawn or generalised values, not
-- the source's own, but for the sex.
ALTER TABLE deid.candidate ADD COLUMN attributes jsonb;
-- `shown_spans`: [[start, end, label], …] in `text`, of rows whose policy has publication.spans.
ALTER TABLE deid.published_document ADD COLUMN attributes jsonb, ADD COLUMN shown_spans jsonb;

-- Of a document without attributes the digest is what it was.
DROP FUNCTION deid.content_digest(
    text, text, text, text, text, text, text, text, text, date, bytea, text, text
);
CREATE FUNCTION deid.content_digest(
    salt text, content_hash text, patient_id text, stay_id text, document_type text, loinc_code text, title text,
    text text, markup text, reference_date date, file bytea DEFAULT NULL, file_type text DEFAULT NULL,
    file_suffix text DEFAULT NULL, attributes jsonb DEFAULT NULL
) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT encode(sha256(convert_to((
        jsonb_build_array($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        || CASE WHEN $11 IS NULL THEN '[]' ELSE jsonb_build_array(encode(sha256($11), 'hex'), $12, $13) END
        || CASE WHEN $14 IS NULL THEN '[]' ELSE jsonb_build_array($14) END
    )::text, 'UTF8')), 'hex')
$$;

-- Integer ids: 60 bits of a digest of the pseudonym, which is keyed: the same each night, as long as the secret is, and
-- of no order. They are the values that research.note gave so far.
DROP VIEW research.note;
ALTER TABLE research.document
ADD COLUMN sex text,
ADD COLUMN age_class text,
ADD COLUMN birth_year int,
ADD COLUMN service text,
ADD COLUMN spans jsonb,
ADD COLUMN note_id bigint NOT NULL GENERATED ALWAYS AS (('x' || left(md5(document_id), 15))::bit(60)::bigint) STORED,
ADD COLUMN person_id bigint NOT NULL GENERATED ALWAYS AS (('x' || left(md5(patient_id), 15))::bit(60)::bigint) STORED,
ADD COLUMN visit_occurrence_id bigint
GENERATED ALWAYS AS (('x' || left(md5(stay_id), 15))::bit(60)::bigint) STORED;
CREATE INDEX document_note ON research.document (note_id);
CREATE INDEX document_person ON research.document (person_id);
CREATE INDEX document_visit ON research.document (visit_occurrence_id);
ALTER TABLE deid.removed_document
ADD COLUMN note_id bigint NOT NULL GENERATED ALWAYS AS (('x' || left(md5(document_id), 15))::bit(60)::bigint) STORED;

-- Grain: one LOINC code of document types. The owner fills it from the hospital's licence of the vocabularies (Athena):
-- none ships.
CREATE TABLE research.loinc_concept (
    loinc_code text PRIMARY KEY,
    concept_id int NOT NULL
);

-- Grain: one label or column, and one part of it, under one policy of rows that researchers read. Each rewriting of
-- research.document writes it from the policy.
CREATE TABLE research.perturbation (
    policy_hash text NOT NULL,
    element text NOT NULL,
    part text NOT NULL,
    strategy text NOT NULL,
    effect text NOT NULL,
    bound double precision,
    scale double precision,
    unit text,
    epsilon double precision,
    epsilon_per text,
    PRIMARY KEY (policy_hash, element, part)
);

-- Grain: one patient with documents that researchers read. OMOP CDM 5.4, table PERSON. Concepts: 8507 "MALE",
-- 8532 "FEMALE".
CREATE VIEW research.person WITH (security_invoker = true) AS
SELECT
    p.person_id,
    CASE p.sex WHEN 'M' THEN 8507 WHEN 'F' THEN 8532 ELSE 0 END AS gender_concept_id,
    p.birth_year AS year_of_birth,
    null::int AS month_of_birth,
    null::int AS day_of_birth,
    null::timestamp AS birth_datetime,
    0 AS race_concept_id,
    0 AS ethnicity_concept_id,
    null::bigint AS location_id,
    null::bigint AS provider_id,
    null::bigint AS care_site_id,
    p.patient_id AS person_source_value,
    p.sex AS gender_source_value,
    0 AS gender_source_concept_id,
    null::text AS race_source_value,
    0 AS race_source_concept_id,
    null::text AS ethnicity_source_value,
    0 AS ethnicity_source_concept_id
FROM (
    SELECT
        d.person_id,
        d.patient_id,
        mode() WITHIN GROUP (ORDER BY d.sex) AS sex,
        mode() WITHIN GROUP (ORDER BY d.birth_year) AS birth_year
    FROM research.document AS d
    GROUP BY d.person_id, d.patient_id
) AS p;

-- Grain: one stay with documents that researchers read. OMOP CDM 5.4, table VISIT_OCCURRENCE. Concept 32817 "EHR".
CREATE VIEW research.visit_occurrence WITH (security_invoker = true) AS
SELECT
    d.visit_occurrence_id,
    d.person_id,
    0 AS visit_concept_id,
    min(d.reference_date) AS visit_start_date,
    min(d.reference_date)::timestamp AS visit_start_datetime,
    max(d.reference_date) AS visit_end_date,
    max(d.reference_date)::timestamp AS visit_end_datetime,
    32817 AS visit_type_concept_id,
    null::bigint AS provider_id,
    null::bigint AS care_site_id,
    d.stay_id AS visit_source_value,
    0 AS visit_source_concept_id,
    0 AS admitted_from_concept_id,
    null::text AS admitted_from_source_value,
    0 AS discharged_to_concept_id,
    null::text AS discharged_to_source_value,
    null::bigint AS preceding_visit_occurrence_id
FROM research.document AS d
WHERE d.visit_occurrence_id IS NOT NULL
GROUP BY d.visit_occurrence_id, d.person_id, d.stay_id;

-- Grain: one document. OMOP CDM 5.4, table NOTE, and note_class_source_value. Concepts: 32817 "EHR", 32678 "UTF-8",
-- 4180190 "French language".
CREATE VIEW research.note WITH (security_invoker = true) AS
SELECT
    d.note_id,
    d.person_id,
    d.reference_date AS note_date,
    d.reference_date::timestamp AS note_datetime,
    32817 AS note_type_concept_id,
    coalesce(c.concept_id, 0) AS note_class_concept_id,
    d.title AS note_title,
    d.text AS note_text,
    32678 AS encoding_concept_id,
    4180190 AS language_concept_id,
    null::bigint AS provider_id,
    d.visit_occurrence_id,
    null::bigint AS visit_detail_id,
    d.document_id AS note_source_value,
    null::bigint AS note_event_id,
    0 AS note_event_field_concept_id,
    coalesce(d.loinc_code, d.document_type) AS note_class_source_value
FROM research.document AS d
LEFT JOIN research.loinc_concept AS c ON d.loinc_code = c.loinc_code;

-- Grain: one surrogate of a document whose policy publishes where they stand. OMOP CDM 5.4, table NOTE_NLP.
CREATE VIEW research.note_nlp WITH (security_invoker = true) AS
SELECT
    ('x' || left(md5(d.document_id || ' ' || s.place), 15))::bit(60)::bigint AS note_nlp_id,
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

CREATE OR REPLACE VIEW research.withdrawn_document AS
SELECT r.document_id, r.removed_in AS withdrawn_in, r.note_id
FROM deid.removed_document AS r
WHERE NOT EXISTS (SELECT FROM research.document AS d WHERE d.document_id = r.document_id)
ORDER BY r.document_id COLLATE "C";

GRANT SELECT ON research.note, research.person, research.visit_occurrence, research.note_nlp, research.loinc_concept,
research.perturbation TO nocturne_publisher, nocturne_steward, researcher;
GRANT INSERT, DELETE ON research.perturbation TO nocturne_publisher;

-- French, then English.
COMMENT ON TABLE research.document IS
'Un document désidentifié par ligne, dans sa dernière version lisible ; réécrit en entier à chaque période. / One '
'de-identified document per row, in its last readable version; rewritten as a whole each period.';
COMMENT ON COLUMN research.document.document_id IS
'Pseudonyme du document : HMAC de l''identifiant source, stable tant que le secret de l''hôpital ne change pas. / '
'Pseudonym of the document: HMAC of the source''s id, stable as long as the hospital''s secret is.';
COMMENT ON COLUMN research.document.patient_id IS
'Pseudonyme du patient, le même dans tous ses documents. / Pseudonym of the patient, the same in all documents.';
COMMENT ON COLUMN research.document.stay_id IS
'Pseudonyme du séjour ; null hors séjour. / Pseudonym of the stay; null outside of one.';
COMMENT ON COLUMN research.document.document_type IS
'Code du type de document dans l''entrepôt, inchangé. / Code of the document type in the warehouse, unchanged.';
COMMENT ON COLUMN research.document.loinc_code IS
'Code LOINC du type de document donné par l''entrepôt, inchangé ; null s''il n''en donne pas. / LOINC code of the '
'document type as the warehouse gives it, unchanged; null if it gives none.';
COMMENT ON COLUMN research.document.title IS
'Titre ; null si quelque chose d''identifiant y a été trouvé. / Title; null if something identifying was found in it.';
COMMENT ON COLUMN research.document.text IS
'Texte, chaque élément identifiant trouvé étant remplacé par un substitut ; la détection n''est pas complète. / '
'Text, each identifying element that was found replaced by a surrogate; detection is not complete.';
COMMENT ON COLUMN research.document.markup IS
'Le même texte en HTML, si la source est en HTML. / The same text in HTML, if the source is HTML.';
COMMENT ON COLUMN research.document.reference_date IS
'Date du document, déplacée avec les dates du texte ; ni le jour ni l''année vrais. / Date of the document, moved '
'with the dates of the text; neither the true day nor the true year.';
COMMENT ON COLUMN research.document.visible_from IS
'Mois (2026-10) où cette version est devenue lisible : un mois réel, non déplacé. / Month (2026-10) in which this '
'version became readable: a true month, not moved.';
COMMENT ON COLUMN research.document.policy_hash IS
'Empreinte de la politique appliquée ; clé de research.perturbation. / Digest of the policy applied; key of '
'research.perturbation.';
COMMENT ON COLUMN research.document.pipeline_version IS
'Version de la chaîne : produit, politique, modèle et secret. / Version of the pipeline: product, policy, model '
'and secret.';
COMMENT ON COLUMN research.document.detector_version IS
'Version du détecteur. / Version of the detector.';
COMMENT ON COLUMN research.document.key_fingerprint IS
'Empreinte du secret ; deux empreintes ne partagent aucun identifiant ni décalage. / Fingerprint of the secret; '
'two fingerprints share neither ids nor shifts.';
COMMENT ON COLUMN research.document.file IS
'Le document dans son format, avec substituts ; null si l''hôpital ne publie que le texte. / The document in its '
'own format with surrogates; null where the hospital publishes text only, or has text only.';
COMMENT ON COLUMN research.document.file_type IS 'Type de média de file. / Media type of file.';
COMMENT ON COLUMN research.document.file_suffix IS
'Fin de nom pour file, comme .docx. / Ending of a name for file, such as .docx.';
COMMENT ON COLUMN research.document.sex IS
'Sexe selon l''entrepôt, M ou F, inchangé ; null si la politique ne le publie pas. / Sex as in the warehouse, M or '
'F, unchanged; null if the policy does not publish it.';
COMMENT ON COLUMN research.document.age_class IS
'Classe d''âge à la date du document, calculée de la naissance de substitution ; null si la politique ne la publie '
'pas. / Age class at the date of the document, computed from the surrogate birth date; null if the policy does not '
'publish it.';
COMMENT ON COLUMN research.document.birth_year IS
'Année de la naissance de substitution, si le texte publié dit la naissance ou l''âge et que la politique la '
'publie. / Year of the surrogate birth date, if the published text tells birth or age and the policy publishes it.';
COMMENT ON COLUMN research.document.service IS
'Catégorie de service que la politique donne au code de l''entrepôt ; null sans catégorie. / Category that the '
'policy gives to the warehouse''s service code; null without one.';
COMMENT ON COLUMN research.document.spans IS
'Place des substituts dans text, [[début, fin, étiquette], …] en caractères ; null si la politique ne les publie '
'pas. / Where surrogates stand in text, [[start, end, label], …] in characters; null if the policy does not '
'publish them.';
COMMENT ON COLUMN research.document.note_id IS
'Identifiant entier du document : 60 bits d''un condensé de document_id, indexé. / Integer id of the document: 60 '
'bits of a digest of document_id, indexed.';
COMMENT ON COLUMN research.document.person_id IS
'Identifiant entier du patient : 60 bits d''un condensé de patient_id, indexé. / Integer id of the patient: 60 '
'bits of a digest of patient_id, indexed.';
COMMENT ON COLUMN research.document.visit_occurrence_id IS
'Identifiant entier du séjour : 60 bits d''un condensé de stay_id, indexé. / Integer id of the stay: 60 bits of a '
'digest of stay_id, indexed.';

COMMENT ON VIEW research.document_file IS
'Documents publiés dans leur format, réécrits avec substituts. / Published documents in their own formats, '
'rewritten with surrogates.';
COMMENT ON COLUMN research.document_file.document_id IS
'Comme dans research.document. / As in research.document.';
COMMENT ON COLUMN research.document_file.patient_id IS
'Comme dans research.document. / As in research.document.';
COMMENT ON COLUMN research.document_file.media_type IS 'Type de média de file. / Media type of file.';
COMMENT ON COLUMN research.document_file.suffix IS
'Fin de nom pour file, comme .docx. / Ending of a name for file, such as .docx.';
COMMENT ON COLUMN research.document_file.size IS 'Taille de file en octets. / Bytes of file.';
COMMENT ON COLUMN research.document_file.file IS
'Octets à écrire dans un fichier de cette fin de nom. / Bytes, to be written to a file of that ending.';

COMMENT ON VIEW research.release IS
'Un mois de visibilité par ligne, avec les versions qui ont produit ses documents. / One month of visibility per '
'row, with the versions that made its documents.';
COMMENT ON COLUMN research.release.visible_from IS 'Mois, comme 2026-10. / Month, such as 2026-10.';
COMMENT ON COLUMN research.release.documents IS 'Nombre de documents. / Number of documents.';
COMMENT ON COLUMN research.release.policy_hashes IS 'Politiques appliquées. / Policies applied.';
COMMENT ON COLUMN research.release.pipeline_versions IS 'Versions de la chaîne. / Versions of the pipeline.';
COMMENT ON COLUMN research.release.detector_versions IS 'Versions du détecteur. / Versions of the detector.';

COMMENT ON VIEW research.withdrawn_document IS
'Documents lus un jour et retirés depuis : en détruire toute copie. Ni le jour ni le motif ne sont donnés : ils '
'diraient quels documents sont partis ensemble, et lesquels sont d''un patient opposé. / Documents that could be '
'read once and were withdrawn: purge every copy of them. Neither the day nor the reason is given: they would tell '
'which documents left together, and whose patient objected.';
COMMENT ON COLUMN research.withdrawn_document.document_id IS
'Identifiant qu''avait le document dans research.document. / Id that the document had in research.document.';
COMMENT ON COLUMN research.withdrawn_document.withdrawn_in IS
'Mois du retrait, comme 2026-10. / Month of the withdrawal, such as 2026-10.';
COMMENT ON COLUMN research.withdrawn_document.note_id IS
'Identifiant qu''avait le document dans research.note. / Id that the document had in research.note.';

COMMENT ON TABLE research.loinc_concept IS
'Concept OMOP de chaque code LOINC de type de document, rempli par l''hôpital selon sa licence des vocabulaires ; '
'vide à l''installation. / OMOP concept of each LOINC code of document types, filled by the hospital under its '
'licence of the vocabularies; empty when installed.';
COMMENT ON COLUMN research.loinc_concept.loinc_code IS 'Code LOINC, comme 34105-7. / LOINC code, such as 34105-7.';
COMMENT ON COLUMN research.loinc_concept.concept_id IS
'Concept standard OMOP de la classe de note. / OMOP standard concept of the note class.';

COMMENT ON TABLE research.perturbation IS
'Ce que chaque politique fait à chaque étiquette et à chaque colonne, écrit d''après la politique. / What each '
'policy does to each label and column, written from the policy.';
COMMENT ON COLUMN research.perturbation.policy_hash IS
'Politique, comme dans research.document. / Policy, as in research.document.';
COMMENT ON COLUMN research.perturbation.element IS
'Étiquette (DATE), type propre à l''hôpital, ou colonne (document.reference_date). / Label (DATE), type of the '
'hospital''s own, or column (document.reference_date).';
COMMENT ON COLUMN research.perturbation.part IS
'Partie de l''élément à laquelle la ligne s''applique ; vide pour tout l''élément. / Part of the element that the '
'row is about; empty for the whole.';
COMMENT ON COLUMN research.perturbation.strategy IS
'Nom de la stratégie dans la politique. / Name of the strategy in the policy.';
COMMENT ON COLUMN research.perturbation.effect IS 'Ce qui est fait, en français. / What is done, in French.';
COMMENT ON COLUMN research.perturbation.bound IS
'Limite dure, en unit ; null s''il n''y en a pas. / Hard limit, in unit; null if there is none.';
COMMENT ON COLUMN research.perturbation.scale IS
'Échelle du bruit, en unit : l''écart absolu moyen, à peu près. / Scale of the noise, in unit: about the mean '
'absolute move.';
COMMENT ON COLUMN research.perturbation.unit IS 'Unité de bound et scale. / Unit of bound and scale.';
COMMENT ON COLUMN research.perturbation.epsilon IS
'ε, en nats par epsilon_per ; null si rien n''est prouvé ou si elle dépend du document. / ε, in nats per '
'epsilon_per; null if nothing is proven or if it depends on the document.';
COMMENT ON COLUMN research.perturbation.epsilon_per IS 'Unité de distance de epsilon. / Unit of distance of epsilon.';

COMMENT ON VIEW research.person IS
'OMOP CDM 5.4, PERSON : un patient par ligne. / OMOP CDM 5.4, PERSON: one patient per row.';
COMMENT ON VIEW research.visit_occurrence IS
'OMOP CDM 5.4, VISIT_OCCURRENCE : un séjour par ligne ; ses dates sont celles de ses documents publiés. / OMOP CDM '
'5.4, VISIT_OCCURRENCE: one stay per row; its dates are those of its published documents.';
COMMENT ON VIEW research.note IS
'OMOP CDM 5.4, NOTE : un document par ligne. / OMOP CDM 5.4, NOTE: one document per row.';
COMMENT ON VIEW research.note_nlp IS
'OMOP CDM 5.4, NOTE_NLP : un substitut par ligne ; vide si la politique ne publie pas leur place. / OMOP CDM 5.4, '
'NOTE_NLP: one surrogate per row; empty if the policy does not publish where they stand.';

COMMENT ON COLUMN research.person.person_id IS
'research.document.person_id : clé des autres vues OMOP. / research.document.person_id: key of the other OMOP views.';
COMMENT ON COLUMN research.person.gender_concept_id IS
'8507 homme, 8532 femme, 0 inconnu ou non publié. / 8507 male, 8532 female, 0 unknown or not published.';
COMMENT ON COLUMN research.person.year_of_birth IS
'Année de naissance de substitution la plus fréquente dans les documents ; null si aucune n''est publiée (OMOP la '
'veut). / Surrogate year of birth, the most frequent of the documents; null if none is published (OMOP wants one).';
COMMENT ON COLUMN research.person.person_source_value IS
'Pseudonyme : research.document.patient_id. / Pseudonym: research.document.patient_id.';
COMMENT ON COLUMN research.person.gender_source_value IS 'M, F ou null. / M, F or null.';
COMMENT ON COLUMN research.visit_occurrence.visit_occurrence_id IS
'research.document.visit_occurrence_id. / research.document.visit_occurrence_id.';
COMMENT ON COLUMN research.visit_occurrence.person_id IS 'Clé de research.person. / Key of research.person.';
COMMENT ON COLUMN research.visit_occurrence.visit_concept_id IS
'0 : le genre de séjour n''est pas connu. / 0: the kind of stay is not known.';
COMMENT ON COLUMN research.visit_occurrence.visit_start_date IS
'Date publiée du premier document du séjour, non celle de l''entrée. / Published date of the first document of the '
'stay, not of admission.';
COMMENT ON COLUMN research.visit_occurrence.visit_start_datetime IS
'La même, à minuit. / The same, at midnight.';
COMMENT ON COLUMN research.visit_occurrence.visit_end_date IS
'Date publiée du dernier document du séjour, non celle de la sortie. / Published date of the last document of the '
'stay, not of discharge.';
COMMENT ON COLUMN research.visit_occurrence.visit_end_datetime IS 'La même, à minuit. / The same, at midnight.';
COMMENT ON COLUMN research.visit_occurrence.visit_type_concept_id IS
'32817, dossier électronique. / 32817, EHR.';
COMMENT ON COLUMN research.visit_occurrence.visit_source_value IS
'Pseudonyme : research.document.stay_id. / Pseudonym: research.document.stay_id.';
COMMENT ON COLUMN research.note.note_id IS 'research.document.note_id. / research.document.note_id.';
COMMENT ON COLUMN research.note.person_id IS 'Clé de research.person. / Key of research.person.';
COMMENT ON COLUMN research.note.note_date IS 'Date déplacée du document. / Moved date of the document.';
COMMENT ON COLUMN research.note.note_datetime IS 'La même, à minuit. / The same, at midnight.';
COMMENT ON COLUMN research.note.note_type_concept_id IS '32817, dossier électronique. / 32817, EHR.';
COMMENT ON COLUMN research.note.note_class_concept_id IS
'Concept que research.loinc_concept donne au code LOINC ; 0 s''il n''en donne pas. / Concept that '
'research.loinc_concept gives to the LOINC code; 0 if it gives none.';
COMMENT ON COLUMN research.note.note_title IS 'research.document.title. / research.document.title.';
COMMENT ON COLUMN research.note.note_text IS 'research.document.text. / research.document.text.';
COMMENT ON COLUMN research.note.encoding_concept_id IS '32678, UTF-8. / 32678, UTF-8.';
COMMENT ON COLUMN research.note.language_concept_id IS '4180190, français. / 4180190, French.';
COMMENT ON COLUMN research.note.visit_occurrence_id IS
'Clé de research.visit_occurrence ; null hors séjour. / Key of research.visit_occurrence; null outside of a stay.';
COMMENT ON COLUMN research.note.note_source_value IS
'Pseudonyme : research.document.document_id. / Pseudonym: research.document.document_id.';
COMMENT ON COLUMN research.note.note_class_source_value IS
'Code LOINC, sinon type de l''entrepôt ; hors de la norme. / LOINC code, else the warehouse''s type; not of the '
'standard.';
COMMENT ON COLUMN research.note_nlp.note_nlp_id IS
'60 bits d''un condensé du document et du rang. / 60 bits of a digest of document and rank.';
COMMENT ON COLUMN research.note_nlp.note_id IS 'Clé de research.note. / Key of research.note.';
COMMENT ON COLUMN research.note_nlp."offset" IS
'Premier caractère dans note_text, à partir de 0. / First character in note_text, from 0.';
COMMENT ON COLUMN research.note_nlp.lexical_variant IS 'Le substitut. / The surrogate.';
COMMENT ON COLUMN research.note_nlp.nlp_system IS
'nocturne et version du détecteur. / nocturne and version of the detector.';
COMMENT ON COLUMN research.note_nlp.nlp_date IS
'Null : le jour du traitement n''est pas publié. / Null: the day of processing is not published.';
COMMENT ON COLUMN research.note_nlp.nlp_datetime IS
'Null : le jour du traitement n''est pas publié. / Null: the day of processing is not published.';
COMMENT ON COLUMN research.note_nlp.term_exists IS 'Y, toujours. / Y, always.';
COMMENT ON COLUMN research.note_nlp.term_modifiers IS
'label= et l''étiquette du substitut. / label= and the label of the surrogate.';

-- Columns that OMOP has and Nocturne does not know.
DO $$
DECLARE
    place record;
BEGIN
    FOR place IN
        SELECT c.relname, a.attname
        FROM pg_class AS c
        INNER JOIN pg_attribute AS a ON c.oid = a.attrelid
        WHERE
            c.relnamespace = 'research'::regnamespace AND a.attnum > 0
            AND c.relname IN ('person', 'visit_occurrence', 'note', 'note_nlp')
            AND col_description(c.oid, a.attnum) IS NULL
    LOOP
        EXECUTE format(
            'COMMENT ON COLUMN research.%I.%I IS %L', place.relname, place.attname,
            'Colonne d''OMOP que Nocturne ne remplit pas : null, 0 pour un concept. / '
            'Column of OMOP that Nocturne does not fill: null, 0 for a concept.'
        );
    END LOOP;
END
$$;
