-- Grain: one postal code of one commune and line.
-- Purpose: rows of the new release, beside those in use.
INSERT INTO ref.postal_code (release_id, insee, zip, label, line)
SELECT DISTINCT %(release_id)s::bigint, insee, zip, label, line FROM stage
