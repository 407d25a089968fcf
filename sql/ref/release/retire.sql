-- Grain: the release in use of one source.
-- Purpose: first half of the swap; the second takes its place in the same transaction.
UPDATE ref.release SET state = 'former' WHERE source = %(source)s AND state = 'in_use'
