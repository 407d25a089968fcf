-- Grain: one establishment.
-- Purpose: rows of the new release, beside those in use.
INSERT INTO ref.establishment (release_id, finess, name, insee, kind)
SELECT %(release_id)s, finess, name, insee, kind FROM stage
