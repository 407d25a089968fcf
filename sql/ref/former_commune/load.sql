-- Grain: one former name and the commune of today.
-- Purpose: rows of the new release, beside those in use.
INSERT INTO ref.former_commune (release_id, name, insee) SELECT DISTINCT %(release_id)s::bigint, name, insee FROM stage
