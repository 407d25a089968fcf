-- name: add_density_level
-- Grain: one row, on the staged communes: how many have a level of their own, and how many there are.
-- Purpose: the density grid as a feature. A commune that the grid lacks has the middle level of its department, else of
-- the country, and the feature is flagged.
WITH own AS (
    SELECT stage.insee, stage.department, density_level.level
    FROM stage
    LEFT JOIN ref.density_level
        ON stage.insee = density_level.insee AND density_level.release_id = %(release_id)s
),

middle AS (
    SELECT department, percentile_disc(0.5) WITHIN GROUP (ORDER BY level) AS level
    FROM own
    GROUP BY GROUPING SETS ((department), ())
),

added AS (
    UPDATE stage
    SET
        features = stage.features
        || jsonb_build_object(%(name)s::text, coalesce(own.level, around.level, country.level)),
        imputed = CASE WHEN own.level IS NULL THEN stage.imputed || %(name)s::text ELSE stage.imputed END
    FROM own
    LEFT JOIN middle AS around ON own.department = around.department
    CROSS JOIN (SELECT level FROM middle WHERE department IS NULL) AS country
    WHERE stage.insee = own.insee
    RETURNING own.level IS NOT NULL AS known
)

SELECT count(*) FILTER (WHERE known), count(*) FROM added;

-- name: add_health_indicator
-- Grain: one row, on the staged communes: of how many the commune or its department is known, and how many there are.
-- Purpose: an indicator as a feature, in the place of the file's own where it has one of that name. Arrondissements
-- count for Paris, Lyon and Marseille where the city itself is not given; "20" for both departments of Corsica. `per`
-- turns a count into a rate per so many inhabitants. A commune without a value has the middle one of its department,
-- else of the country; that, and a value of a whole department, is flagged. Numeric throughout: the same on every
-- machine.
WITH measured AS (
    SELECT area, value
    FROM ref.health_indicator
    WHERE release_id = %(release_id)s AND indicator = %(measure)s AND value IS NOT NULL
),

city AS (
    SELECT
        CASE left(area, 3) WHEN '751' THEN '75056' WHEN '132' THEN '13055' ELSE '69123' END AS insee,
        CASE WHEN %(per)s::int IS NULL THEN avg(value) ELSE sum(value) END AS value
    FROM measured
    WHERE area ~ '^(751|6938|132)' AND length(area) = 5
    GROUP BY 1
),

wide AS (
    SELECT area AS department, value FROM measured WHERE length(area) < 5
    UNION ALL
    SELECT corsica.department, measured.value
    FROM measured
    CROSS JOIN (VALUES ('2A'), ('2B')) AS corsica (department)
    WHERE measured.area = '20' AND corsica.department NOT IN (SELECT area FROM measured)
),

own AS (
    SELECT
        stage.insee, stage.department, local.value IS NOT NULL AS is_local,
        round(
            CASE
                WHEN %(per)s::int IS NULL THEN coalesce(local.value, wide.value)
                ELSE %(per)s * local.value / nullif(stage.population, 0)
            END, 3
        ) AS value
    FROM stage
    LEFT JOIN (
        SELECT insee, value FROM city WHERE insee NOT IN (SELECT area FROM measured)
        UNION ALL
        SELECT area, value FROM measured WHERE length(area) = 5
    ) AS local ON stage.insee = local.insee
    LEFT JOIN wide ON stage.department = wide.department
),

middle AS (
    SELECT department, percentile_disc(0.5) WITHIN GROUP (ORDER BY value) AS value
    FROM own
    GROUP BY GROUPING SETS ((department), ())
),

added AS (
    UPDATE stage
    SET
        features = stage.features
        || jsonb_build_object(%(name)s::text, coalesce(own.value, around.value, country.value)),
        imputed = array_remove(stage.imputed, %(name)s::text)
        || CASE WHEN own.is_local AND own.value IS NOT NULL THEN '{}' ELSE ARRAY[%(name)s::text] END
    FROM own
    LEFT JOIN middle AS around ON own.department = around.department
    CROSS JOIN (SELECT value FROM middle WHERE department IS NULL) AS country
    WHERE stage.insee = own.insee
    RETURNING own.value IS NOT NULL AS known
)

SELECT count(*) FILTER (WHERE known), count(*) FROM added;

-- name: add_pathology
-- Grain: one row, on the staged communes: of how many the department is known, and how many there are.
-- Purpose: the share of people treated for a pathology, in per cent, as a feature. It is the department's, so it is
-- flagged for every commune. Standardised by age and sex on the country's population, else it would mostly say where
-- old people live. A masked count (10 at most) is taken at the country's rate. Numeric throughout: the same on every
-- machine.
WITH counted AS (
    SELECT department, sex, age, patients, population
    FROM ref.pathology
    WHERE release_id = %(release_id)s AND pathology = %(measure)s
),

class AS (
    SELECT sex, age, sum(population) AS people, coalesce(sum(patients), 0) / nullif(sum(population), 0) AS rate
    FROM counted
    GROUP BY sex, age
),

filled AS (
    SELECT
        departments.department, class.people, class.rate, counted.population,
        coalesce(counted.patients, least(10, class.rate * counted.population)) AS patients
    FROM (SELECT DISTINCT department FROM counted) AS departments
    CROSS JOIN class
    LEFT JOIN counted
        ON departments.department = counted.department AND class.sex = counted.sex AND class.age = counted.age
    WHERE class.people > 0
),

standardised AS (
    SELECT
        department,
        round(100 * sum(people * coalesce(patients / nullif(population, 0), rate)) / sum(people), 3) AS prevalence
    FROM filled
    GROUP BY department
),

country AS (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY prevalence) AS prevalence FROM standardised),

added AS (
    UPDATE stage
    SET
        features = stage.features
        || jsonb_build_object(%(name)s::text, coalesce(own.prevalence, country.prevalence)),
        imputed = stage.imputed || %(name)s::text
    FROM stage AS place
    LEFT JOIN standardised AS own ON place.department = own.department
    CROSS JOIN country
    WHERE stage.insee = place.insee
    RETURNING own.prevalence IS NOT NULL AS known
)

SELECT count(*) FILTER (WHERE known), count(*) FROM added;

-- name: checks
-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: a commune table that would mislead every place draw is refused. Distances are in km; Guyane has communes of
-- 18,000 km², where a centre may be taken far from the last one.
WITH compared AS (
    SELECT
        stage.name <> known_commune.name AS renamed,
        stage.department = '973' AS vast,
        111.2 * sqrt(
            ((stage.lon::float8 - known_commune.lon) * cos(radians(known_commune.lat))) ^ 2
            + (stage.lat::float8 - known_commune.lat) ^ 2
        ) AS distance
    FROM stage
    INNER JOIN known_commune ON stage.insee = known_commune.insee
),

box AS (
    SELECT department, min(lon) AS west, min(lat) AS south, max(lon) AS east, max(lat) AS north
    FROM known_commune
    GROUP BY department
)

SELECT 'INSEE codes given twice' AS what, count(*) - count(DISTINCT insee) AS observed FROM stage
UNION ALL
SELECT 'communes outside their department', count(*) FROM stage
WHERE left(insee, length(department)) <> department
UNION ALL
SELECT 'departments missing of 96 in the metropolis', greatest(0, 96 - count(DISTINCT department)) FROM stage
WHERE department NOT LIKE '97%%'
UNION ALL
SELECT 'well-known communes absent (Paris, Marseille, Ajaccio, Saint-Denis of Réunion)', 4 - count(*) FROM stage
WHERE (insee, name) IN (('75056', 'Paris'), ('13055', 'Marseille'), ('2A004', 'Ajaccio'), ('97411', 'Saint-Denis'))
UNION ALL
SELECT 'communes more than 30 km (Guyane: 200) from where they were', count(*) FROM compared
WHERE distance > CASE WHEN vast THEN 200 ELSE 30 END
UNION ALL
SELECT 'communes more than 3 km from where they were, beyond one in twenty',
    greatest(0, count(*) FILTER (WHERE distance > 3) - count(*) / 20)
FROM compared
UNION ALL
SELECT 'half of the communes are more than 1 km from where they were',
    CASE WHEN percentile_cont(0.5) WITHIN GROUP (ORDER BY distance) > 1 THEN 1 ELSE 0 END
FROM compared
UNION ALL
SELECT 'communes more than half a degree outside of their department', count(*)
FROM stage
INNER JOIN box ON stage.department = box.department
WHERE stage.lon NOT BETWEEN box.west - 0.5 AND box.east + 0.5
    OR stage.lat NOT BETWEEN box.south - 0.5 AND box.north + 0.5
UNION ALL
SELECT 'communes at the place of another one, beyond one in a hundred',
    greatest(0, count(*) - count(DISTINCT (lon, lat)) - count(*) / 100)
FROM stage
UNION ALL
SELECT 'communes with another name than before, beyond one in fifty',
    greatest(0, count(*) FILTER (WHERE renamed) - count(*) / 50)
FROM compared
UNION ALL
SELECT 'fewer than one name in a hundred has an accent',
    CASE WHEN count(*) FILTER (WHERE name ~ '[À-ÿŒœ]') * 100 < count(*) THEN 1 ELSE 0 END
FROM stage
UNION ALL
SELECT 'communes that were not known before, beyond one in fifty',
    greatest(0, (SELECT count(*) FROM stage) - count(*) - count(*) / 50)
FROM compared;

-- name: load
-- Grain: one commune of today.
-- Purpose: rows of the new version, beside those in use.
INSERT INTO ref.commune (
    release_id, insee, name, department, region, zips, lon, lat, population, features, territory, imputed
)
SELECT
    %(release_id)s, insee, name, department, region, zips, lon, lat, population, features, territory, imputed
FROM stage;

-- name: prune
-- Grain: the rows of superseded versions.
-- Purpose: free their space; ref.release keeps the record of them.
DELETE FROM ref.commune WHERE release_id = ANY(%(release_ids)s);

-- name: read
-- Grain: one commune of the given version.
-- Purpose: what the tables of substitution are built of.
SELECT insee, name, department, region, zips, lon::float8, lat::float8, population, features, territory
FROM ref.commune
WHERE release_id = %(release_id)s
ORDER BY insee;

-- name: stage
-- Grain: one row of the file, as read.
-- Purpose: COPY lands here, so that a wrong file touches nothing that anyone reads.
CREATE TEMPORARY TABLE stage (
    insee text NOT NULL,
    name text NOT NULL,
    department text NOT NULL,
    region text NOT NULL,
    zips text[] NOT NULL,
    lon numeric NOT NULL,
    lat numeric NOT NULL,
    population int NOT NULL,
    features jsonb NOT NULL,
    territory text NOT NULL,
    imputed text[] NOT NULL
) ON COMMIT DROP;
