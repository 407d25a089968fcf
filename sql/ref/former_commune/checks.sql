-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: birth places must not lead astray.
SELECT 'half of the names lead nowhere' AS what, CASE WHEN count(insee) * 2 < count(*) THEN 1 ELSE 0 END AS observed
FROM stage
UNION ALL
SELECT 'sample lookups that fail (Cherbourg-Octeville, 50129)', 1 - count(DISTINCT name) FROM stage
WHERE (insee, name) = ('50129', 'Cherbourg-Octeville')
