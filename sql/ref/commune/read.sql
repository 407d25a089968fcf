-- Grain: one commune of the given release.
-- Purpose: the table that substitution holds in memory.
SELECT insee, name, department, region, zips, lon::float8, lat::float8, population, features, territory
FROM ref.commune
WHERE release_id = %(release_id)s
ORDER BY insee
