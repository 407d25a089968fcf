-- name: columns
-- Grain: one column of a table or view of the database that is open, outside the catalogue.
-- Purpose: what a source contract is drafted from, where SQLAlchemy's inspector does not read DuckDB.
SELECT
    c.table_schema,
    c.table_name,
    c.column_name,
    c.data_type
FROM information_schema.columns AS c
WHERE c.table_catalog = current_database() AND c.table_schema NOT IN ('information_schema', 'pg_catalog')
ORDER BY c.table_schema, c.table_name, c.ordinal_position;
