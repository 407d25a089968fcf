-- Grain: one row, if somebody went back from this very file to a former release.
-- Purpose: the next refresh must not bring back what a person put away.
SELECT release_id FROM ref.release
WHERE source = %(source)s AND version = %(version)s AND withdrawn_at IS NOT NULL
LIMIT 1
