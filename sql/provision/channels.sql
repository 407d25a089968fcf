-- name: open
-- Grain: one thing that every role of the server may use from this database. Purpose: name what close_channels.sql
-- would close, so that a deployment without it is told.
SELECT 'function ' || p.oid::regprocedure AS name
FROM pg_proc AS p
WHERE
    p.pronamespace = 'pg_catalog'::regnamespace
    AND (
        p.proname LIKE 'lo\_%%' OR p.proname IN ('loread', 'lowrite')
        OR p.proname LIKE 'pg\_advisory\_%%' OR p.proname LIKE 'pg\_try\_advisory\_%%'
        OR p.proname = 'pg_stat_get_activity'
    )
    AND has_function_privilege('public', p.oid, 'EXECUTE')
UNION ALL
SELECT 'column ' || v.view || '.' || v.name
FROM (
    VALUES ('pg_roles', 'rolconfig'), ('pg_user', 'useconfig'), ('pg_db_role_setting', 'setconfig')
) AS v (view, name)
WHERE has_column_privilege('public', 'pg_catalog.' || v.view, v.name, 'SELECT')
UNION ALL
SELECT 'database ' || d.datname
FROM pg_database AS d
WHERE
    d.datname IN ('postgres', 'template1', current_database())
    AND (
        has_database_privilege('public', d.oid, 'CONNECT') OR has_database_privilege('public', d.oid, 'TEMPORARY')
    )
ORDER BY 1;
