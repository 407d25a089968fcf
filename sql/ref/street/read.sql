-- Grain: one street name of the country, the most frequent first.
-- Purpose: surrogate streets; the head of the list is enough to draw from, and keeps workers small.
SELECT name
FROM ref.street
WHERE release_id = %(release_id)s
GROUP BY name
ORDER BY sum(addresses) DESC, name COLLATE "C"
LIMIT %(most)s
