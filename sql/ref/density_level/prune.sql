-- Grain: the rows of superseded releases.
-- Purpose: give back their room; ref.release remembers that they were.
DELETE FROM ref.density_level WHERE release_id = ANY(%(release_ids)s)
