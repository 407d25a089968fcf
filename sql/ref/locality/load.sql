-- Grain: one name of a lieu-dit in a commune.
-- Purpose: rows of the new release, beside those in use; two places of one name in a commune are one name.
INSERT INTO ref.locality (release_id, insee, name) SELECT DISTINCT %(release_id)s::bigint, insee, name FROM stage
