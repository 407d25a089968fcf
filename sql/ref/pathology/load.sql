-- Grain: one pathology, sex and age class of a department, in the latest year of the file.
-- Purpose: rows of the new release, beside those in use.
INSERT INTO ref.pathology (release_id, pathology, department, sex, age, patients, population)
SELECT %(release_id)s, pathology, department, sex, age, patients, population
FROM stage
WHERE year = (SELECT max(year) FROM stage)
