-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: codes that lost their zero, or a file of one region, would send addresses astray.
SELECT
    'departments missing of 96 in the metropolis' AS what,
    greatest(0, 96 - count(DISTINCT left(insee, 2))) AS observed
FROM stage
WHERE left(insee, 2) NOT IN ('97', '98')
UNION ALL
SELECT 'postal codes far from their department',
    greatest(0, count(*) FILTER (WHERE left(zip, 2)
        <> CASE left(insee, 2) WHEN '2A' THEN '20' WHEN '2B' THEN '20' ELSE left(insee, 2) END)
        - count(*) / 100)
FROM stage
UNION ALL
SELECT 'sample lookups that fail (75002 is Paris 2e, 97400 is Saint-Denis)', 2 - count(DISTINCT insee) FROM stage
WHERE (insee, zip) IN (('75102', '75002'), ('97411', '97400'))
