-- Grain: one row, the release to go back to: the one given, else the last one that was in use and still has its rows.
-- Purpose: rollback.
SELECT release_id FROM ref.release
WHERE source = %(source)s AND state = 'former'
    AND CASE WHEN %(release_id)s::bigint IS NULL THEN withdrawn_at IS NULL ELSE release_id = %(release_id)s END
ORDER BY release_id DESC
LIMIT 1
