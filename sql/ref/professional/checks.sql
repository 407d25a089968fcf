-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: columns that slipped show as one name borne by everybody.
SELECT 'fewer than 50 surnames in 100 professionals' AS what,
    CASE WHEN count(DISTINCT last_name) * 2 < least(count(DISTINCT identifier), 2000) THEN 1 ELSE 0 END AS observed
FROM stage
