-- Grain: one establishment of the given release.
-- Purpose: surrogate hospitals of a commune.
SELECT finess, name, insee, kind FROM ref.establishment WHERE release_id = %(release_id)s ORDER BY finess
