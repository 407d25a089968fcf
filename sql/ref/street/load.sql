-- Grain: one street name of one commune.
-- Purpose: rows of the new release, beside those in use.
INSERT INTO ref.street (release_id, insee, name, addresses)
SELECT %(release_id)s, insee, name, sum(addresses) FROM stage GROUP BY insee, name
