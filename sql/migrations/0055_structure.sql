-- What a policy shows of the structure of a patient's documents: types, their classes, or neither; stays, or none.

-- The type that the settings `publication` of a policy show; of a policy from before they were, that of the warehouse.
-- A setting that is not known shows none.
CREATE FUNCTION deid.shown_type(publication jsonb, document_type text, loinc_code text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE coalesce($1 ->> 'types', 'warehouse')
        WHEN 'warehouse' THEN $2
        WHEN 'classes' THEN coalesce($1 -> 'classes' ->> $2, $1 -> 'classes' ->> $3, $1 ->> 'other_class')
    END
$$;

COMMENT ON COLUMN research.document.stay_id IS
'Pseudonyme du séjour ; null hors séjour, et si la politique ne le publie pas. / Pseudonym of the stay; null outside '
'of one, and if the policy does not publish it.';
COMMENT ON COLUMN research.document.document_type IS
'Code du type de document dans l''entrepôt, inchangé, ou sa classe selon la politique ; null si elle ne publie ni '
'l''un ni l''autre. / Code of the document type in the warehouse, unchanged, or its class by the policy; null if that '
'publishes neither.';
COMMENT ON COLUMN research.document.loinc_code IS
'Code LOINC du type de document donné par l''entrepôt, inchangé ; null s''il n''en donne pas, et si la politique ne '
'publie pas les types de l''entrepôt. / LOINC code of the document type as the warehouse gives it, unchanged; null if '
'it gives none, and if the policy does not publish the warehouse''s types.';
COMMENT ON COLUMN research.document.title IS
'Titre ; null si quelque chose d''identifiant y a été trouvé, et si la politique ne publie pas les types de '
'l''entrepôt. / Title; null if something identifying was found in it, and if the policy does not publish types of the '
'warehouse.';
COMMENT ON COLUMN research.note.note_class_source_value IS
'Code LOINC, sinon type de l''entrepôt ou sa classe ; hors de la norme. / LOINC code, else the warehouse''s type or '
'its class; not of the standard.';
COMMENT ON COLUMN research.note.visit_occurrence_id IS
'Clé de research.visit_occurrence ; null hors séjour, et si la politique ne publie pas les séjours. / Key of '
'research.visit_occurrence; null outside of a stay, and if the policy does not publish stays.';
