-- Grain: one release.
-- Purpose: second half of the swap.
UPDATE ref.release
SET state = 'in_use', rows = %(rows)s, skipped = %(skipped)s
WHERE release_id = %(release_id)s AND state = 'loading'
