-- Grain: one commune of the grid.
-- Purpose: rows of the new release, beside those in use.
INSERT INTO ref.density_level (release_id, insee, level) SELECT %(release_id)s, insee, level FROM stage
