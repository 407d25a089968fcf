-- Grain: one release.
-- Purpose: second half of a rollback.
UPDATE ref.release SET state = 'in_use', withdrawn_at = NULL, withdrawn_by = NULL WHERE release_id = %(release_id)s
