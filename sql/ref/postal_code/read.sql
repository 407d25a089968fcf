-- Grain: one postal code of one commune and line of the given release.
-- Purpose: codes that the commune table lacks, and what La Poste calls communes and their quarters.
SELECT insee, zip, label, line
FROM ref.postal_code
WHERE release_id = %(release_id)s
ORDER BY insee, zip, label, line
