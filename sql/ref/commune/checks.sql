-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: a commune table that would mislead every place draw is refused.
SELECT 'INSEE codes given twice' AS what, count(*) - count(DISTINCT insee) AS observed FROM stage
UNION ALL
SELECT 'communes outside their department', count(*) FROM stage
WHERE left(insee, length(department)) <> department
UNION ALL
SELECT 'departments missing of 96 in the metropolis', greatest(0, 96 - count(DISTINCT department)) FROM stage
WHERE department NOT LIKE '97%%'
UNION ALL
SELECT 'well-known communes absent (Paris, Marseille, Ajaccio, Saint-Denis of Réunion)', 4 - count(*) FROM stage
WHERE (insee, name) IN (('75056', 'Paris'), ('13055', 'Marseille'), ('2A004', 'Ajaccio'), ('97411', 'Saint-Denis'))
