-- Grain: one row, on the staged communes: of how many the department is known, and how many there are.
-- Purpose: the share of people treated for a pathology, in per cent, as a feature. It is the department's, so it is
-- flagged for every commune. Standardised by age and sex on the country's population, else it would mostly say where
-- old people live. A masked count (10 at most) is taken at the country's rate. Numeric throughout: the same on every
-- machine.
WITH counted AS (
    SELECT department, sex, age, patients, population
    FROM ref.pathology
    WHERE release_id = %(release_id)s AND pathology = %(pathology)s
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

SELECT count(*) FILTER (WHERE known), count(*) FROM added
