-- name: account
-- Grain: one row. Purpose: until when the session's login is valid, the encoding that the database says, and the
-- seconds by which its clock is ahead.
SELECT
    r.rolvaliduntil,
    pg_catalog.current_setting('server_encoding') AS encoding,
    pg_catalog.clock_timestamp() AS clock
FROM pg_catalog.pg_roles AS r
WHERE r.rolname = session_user;

-- name: replay
-- Grain: one row. Purpose: whether the server is a replica that may lack what its primary had at an instant. One that
-- receives, and has replayed all that it received, is up to date however long ago the primary's last change was.
SELECT
    pg_catalog.pg_is_in_recovery() AS replica,
    pg_catalog.pg_last_xact_replay_timestamp() AS replayed_until,
    coalesce(
        pg_catalog.pg_last_xact_replay_timestamp() >= least(%(until)s, clock_timestamp() - interval '5 seconds'), false
    )
    OR (
        pg_catalog.pg_last_wal_receive_lsn() = pg_catalog.pg_last_wal_replay_lsn()
        AND EXISTS (SELECT FROM pg_catalog.pg_stat_wal_receiver)
    ) AS up_to_date;

-- name: columns
-- Grain: one table or view that the session may read, outside the product's schemas and the catalogue.
-- Purpose: its quoted name, and its columns with their types in their order, to draft a source contract from.
SELECT
    quote_ident(c.table_schema) || '.' || quote_ident(c.table_name) AS table_name,
    array_agg(quote_ident(c.column_name) ORDER BY c.ordinal_position) AS column_names,
    array_agg(c.data_type::text ORDER BY c.ordinal_position) AS column_types
FROM information_schema.columns AS c
WHERE
    c.table_schema <> ALL(%(own)s)
    AND (cardinality(%(schemas)s::text[]) = 0 OR c.table_schema = ANY(%(schemas)s))
    AND has_column_privilege(
        (quote_ident(c.table_schema) || '.' || quote_ident(c.table_name))::regclass, c.column_name, 'SELECT'
    )
GROUP BY c.table_schema, c.table_name
ORDER BY c.table_schema, c.table_name;
