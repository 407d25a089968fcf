-- name: names
-- Grain: one name of one kind in the given versions; a professional comes under both orders of the full name.
-- Purpose: the lookup that detection maps. Order does not matter: the same names give the same file. Weight is
-- inhabitants of a commune, births of a name.
SELECT 'commune' AS kind, name, max(population) AS weight
FROM ref.commune
WHERE release_id = %(communes)s
GROUP BY name
UNION ALL
SELECT DISTINCT 'former commune', name, 0
FROM ref.former_commune
WHERE release_id = %(former_communes)s
UNION ALL
SELECT DISTINCT 'postal name', label, 0
FROM ref.postal_code
WHERE release_id = %(postal_codes)s
UNION ALL
SELECT DISTINCT 'locality', line, 0
FROM ref.postal_code
WHERE release_id = %(postal_codes)s AND line <> ''
UNION ALL
SELECT DISTINCT 'locality', name, 0
FROM ref.locality
WHERE release_id = %(localities)s
UNION ALL
SELECT DISTINCT 'street', name, 0
FROM ref.street
WHERE release_id = %(streets)s
UNION ALL
SELECT DISTINCT 'establishment', name, 0
FROM ref.establishment
WHERE release_id = %(establishments)s
UNION ALL
SELECT DISTINCT 'professional', full_name, 0
FROM ref.professional
CROSS JOIN LATERAL (
    VALUES (first_name || ' ' || last_name), (last_name || ' ' || first_name)
) AS orders (full_name)
WHERE release_id = %(professionals)s AND length(first_name) > 1 AND length(last_name) > 1
UNION ALL
SELECT 'first name', name, births
FROM ref.first_name
WHERE release_id = %(first_names)s
UNION ALL
SELECT 'surname', name, births
FROM ref.surname
WHERE release_id = %(surnames)s;
