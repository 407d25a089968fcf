-- Grain: one row per release, of all sources or the one given, the latest first.
-- Purpose: what a person reads before going back.
SELECT source, release_id, version, state, rows, skipped, loaded_at, loaded_by, location, withdrawn_at, withdrawn_by
FROM ref.release
WHERE %(source)s::text IS NULL OR source = %(source)s
ORDER BY source, release_id DESC
