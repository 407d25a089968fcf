-- Grain: one first name and sex.
-- Purpose: rows of the new release, beside those in use. A name given less often may be a misspelling, and points at
-- somebody; the bound is that of the table that ships.
INSERT INTO ref.first_name (
    release_id, name, sex, births, births_1900_1945, births_1946_1975, births_1976_2000, births_2001_on
)
SELECT
    %(release_id)s,
    name,
    sex,
    sum(births),
    coalesce(sum(births) FILTER (WHERE generation = 0), 0),
    coalesce(sum(births) FILTER (WHERE generation = 1), 0),
    coalesce(sum(births) FILTER (WHERE generation = 2), 0),
    coalesce(sum(births) FILTER (WHERE generation = 3), 0)
FROM stage
GROUP BY name, sex
HAVING sum(births) >= 30
