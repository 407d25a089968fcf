-- name: fill
-- Grain: one commune of the given version.
-- Purpose: the positions and names in use, with which new ones are compared.
INSERT INTO known_commune (insee, name, department, lon, lat)
SELECT insee, name, department, lon, lat FROM ref.commune WHERE release_id = %(release_id)s;

-- name: stage
-- Grain: one commune of the version in use, or of the table that ships before any load.
-- Purpose: a temporary table, so that both are compared by the same statements.
CREATE TEMPORARY TABLE known_commune (
    insee text PRIMARY KEY,
    name text NOT NULL,
    department text NOT NULL,
    lon float8 NOT NULL,
    lat float8 NOT NULL
) ON COMMIT DROP;
