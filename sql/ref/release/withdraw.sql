-- Grain: the release in use of one source.
-- Purpose: first half of a rollback; who and when stay with it, and its file is not loaded again by itself.
UPDATE ref.release SET state = 'former', withdrawn_at = now(), withdrawn_by = session_user
WHERE source = %(source)s AND state = 'in_use'
