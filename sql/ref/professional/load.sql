-- Grain: one professional and profession.
-- Purpose: rows of the new release, beside those in use; of several places of work the least code is kept.
INSERT INTO ref.professional (release_id, identifier, last_name, first_name, profession, insee)
SELECT %(release_id)s, identifier, min(last_name), min(first_name), profession, min(insee)
FROM stage
GROUP BY identifier, profession
