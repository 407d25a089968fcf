-- Grain: one row per source (all, or the one given), its release in use.
-- Purpose: what a refresh compares with, and which versions a nightly run cites.
SELECT source, release_id, version, checksum, rows, location, files
FROM ref.release
WHERE state = 'in_use' AND (%(source)s::text IS NULL OR source = %(source)s)
ORDER BY source
