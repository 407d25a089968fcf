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

SELECT count(*) FILTER (WHERE known), count(*) FROM added
