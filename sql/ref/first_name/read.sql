-- Grain: one first name and sex of the given release, the most given first, in the columns of the table that ships.
-- Purpose: surrogate first names by sex, generation and band; ranks deal them to the pools, so the order is one order.
SELECT
    name, sex,
    births::text AS births,
    births_1900_1945::text AS n_1900_1945,
    births_1946_1975::text AS n_1946_1975,
    births_1976_2000::text AS n_1976_2000,
    births_2001_on::text AS n_2001_2022
FROM ref.first_name
WHERE release_id = %(release_id)s
ORDER BY ref.first_name.births DESC, name COLLATE "C", sex
