-- Grain: one surname of the given release, the most borne first, in the columns of the table that ships.
-- Purpose: surrogate surnames by band; ranks deal them to the pools, so the order is one order.
SELECT name, births::text AS births
FROM ref.surname
WHERE release_id = %(release_id)s
ORDER BY ref.surname.births DESC, name COLLATE "C"
