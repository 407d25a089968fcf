-- Grain: one former name of the given release, and the commune of today where that is known.
-- Purpose: birth places that no commune bears any more.
SELECT name, coalesce(insee, '') AS insee
FROM ref.former_commune
WHERE release_id = %(release_id)s
ORDER BY name COLLATE "C", insee
