-- name: checks
-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: a list of something else is refused.
SELECT 'surnames given twice' AS what, count(*) - count(DISTINCT name) AS observed FROM stage
UNION ALL
SELECT 'sample lookups that fail (MARTIN, BERNARD, DUBOIS)', 3 - count(DISTINCT name) FROM stage
WHERE name IN ('MARTIN', 'BERNARD', 'DUBOIS');

-- name: load
-- Grain: one surname.
-- Purpose: rows of the new version, beside those in use. A name borne less often may be a misspelling, and points at
-- somebody; the bound is that of the table that ships.
INSERT INTO ref.surname (release_id, name, births)
SELECT %(release_id)s, name, births FROM stage WHERE births >= 15;

-- name: prune
-- Grain: the rows of superseded versions.
-- Purpose: free their space; ref.release keeps the record of them.
DELETE FROM ref.surname WHERE release_id = ANY(%(release_ids)s);

-- name: read
-- Grain: one surname of the given version, the most borne first, in the columns of the table that ships.
-- Purpose: surrogate surnames by band; ranks deal them to the pools, so the order is one order.
SELECT name, births::text AS births
FROM ref.surname
WHERE release_id = %(release_id)s
ORDER BY ref.surname.births DESC, name COLLATE "C";

-- name: stage
-- Grain: one surname of the file.
-- Purpose: COPY lands here, so that a wrong file touches nothing that anyone reads.
CREATE TEMPORARY TABLE stage (name text NOT NULL, births bigint NOT NULL) ON COMMIT DROP;
