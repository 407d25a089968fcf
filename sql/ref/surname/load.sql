-- Grain: one surname.
-- Purpose: rows of the new release, beside those in use. A name borne less often may be a misspelling, and points at
-- somebody; the bound is that of the table that ships.
INSERT INTO ref.surname (release_id, name, births)
SELECT %(release_id)s, name, births FROM stage WHERE births >= 15
