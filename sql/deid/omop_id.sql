-- name: of_names
-- Grain: one pseudonym of a kind. Purpose: the integer id that researchers know it by, given now if it has none.
SELECT n.name, deid.omop_id_of(%(kind)s, n.name) AS id
FROM unnest(%(names)s::text[]) AS n (name);
