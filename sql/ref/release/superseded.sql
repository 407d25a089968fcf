-- Grain: one row per release of a source whose rows need no longer be kept.
-- Purpose: prune. The release in use and those just before it stay, so that one can go back; a withdrawn one does not
-- count among them.
UPDATE ref.release
SET state = 'pruned'
WHERE state = 'former' AND source = %(source)s AND release_id NOT IN (
    SELECT release_id
    FROM ref.release
    WHERE source = %(source)s AND state IN ('in_use', 'former') AND withdrawn_at IS NULL
    ORDER BY state = 'in_use' DESC, release_id DESC
    LIMIT %(keep)s
)
RETURNING release_id
