-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: a FINESS number is one establishment.
SELECT 'FINESS numbers given twice' AS what, count(*) - count(DISTINCT finess) AS observed FROM stage
