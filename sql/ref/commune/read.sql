-- Grain: one commune of the given release.
-- Purpose: what the tables of substitution are built of.
SELECT insee, name, department, region, zips, lon::float8, lat::float8, population, features, territory
FROM ref.commune
WHERE release_id = %(release_id)s
ORDER BY insee
