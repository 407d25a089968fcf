-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: the grid of three levels, or a column mistaken for the level, is refused.
SELECT 'INSEE codes given twice' AS what, count(*) - count(DISTINCT insee) AS observed FROM stage
UNION ALL
SELECT 'levels absent of the seven', 7 - count(DISTINCT level) FROM stage
UNION ALL
SELECT 'well-known communes that are not of the densest level (Paris, Marseille)', 2 - count(*) FROM stage
WHERE insee IN ('75056', '13055') AND level = 1
