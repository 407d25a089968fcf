-- name: clock
-- Grain: one row. Purpose: the server's clock and its time in the zone of the intervals, beside those of the process.
SELECT clock_timestamp(), timezone(%(zone)s, clock_timestamp());

-- name: creates
-- Grain: one row per schema in which the session's role may create. Purpose: a role that can do more than it should.
SELECT n.nspname
FROM pg_catalog.pg_namespace AS n
WHERE n.nspname = ANY(%(schemas)s) AND pg_catalog.has_schema_privilege(n.oid, 'CREATE')
ORDER BY n.nspname;

-- name: grants
-- Grain: one row per schema and privilege that the session's role has on a table of it, by whatever way.
-- Purpose: what a role may do, compared with what it should.
SELECT n.nspname, p.privilege, count(*)::int AS tables, min(c.relname) AS example
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) AS p (privilege)
WHERE
    n.nspname = ANY(%(schemas)s) AND c.relkind IN ('r', 'p', 'v', 'm')
    AND CASE
        WHEN p.privilege IN ('DELETE', 'TRUNCATE') THEN pg_catalog.has_table_privilege(c.oid, p.privilege)
        ELSE pg_catalog.has_any_column_privilege(c.oid, p.privilege)
    END
GROUP BY n.nspname, p.privilege
ORDER BY n.nspname, p.privilege;

-- name: memberships
-- Grain: one row per role of the product that the session's role is, or may become.
-- Purpose: a role that can do more than it should.
SELECT r.rolname
FROM pg_catalog.pg_roles AS r
WHERE r.rolname = ANY(%(roles)s) AND pg_catalog.pg_has_role(r.oid, 'MEMBER')
ORDER BY r.rolname;

-- name: role
-- Grain: one row. Purpose: the session's role and its attributes.
SELECT
    r.rolname,
    array_remove(ARRAY[
        CASE WHEN r.rolsuper THEN 'SUPERUSER' END,
        CASE WHEN r.rolcreaterole THEN 'CREATEROLE' END,
        CASE WHEN r.rolcreatedb THEN 'CREATEDB' END,
        CASE WHEN r.rolreplication THEN 'REPLICATION' END,
        CASE WHEN r.rolbypassrls THEN 'BYPASSRLS' END
    ], NULL) AS attributes
FROM pg_catalog.pg_roles AS r
WHERE r.rolname = current_user;

-- name: settings
-- Grain: one row per setting of the session that the role may see. Purpose: what the server writes into its log.
SELECT s.name, s.setting
FROM pg_catalog.pg_settings AS s
WHERE s.name = ANY(%(names)s);

-- name: others
-- Grain: one row per account outside the product that holds a privilege on a table of a schema.
-- Purpose: who can read or write beside the product's roles; members of one of them do not count.
SELECT coalesce(r.rolname, 'PUBLIC') AS account, n.nspname
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
CROSS JOIN aclexplode(c.relacl) AS a
LEFT JOIN pg_catalog.pg_roles AS r ON a.grantee = r.oid
WHERE
    n.nspname = ANY(%(schemas)s) AND a.grantee <> c.relowner
    AND coalesce(r.rolname, 'PUBLIC') <> ALL(%(roles)s)
GROUP BY account, n.nspname
ORDER BY account, n.nspname;

-- name: texts
-- Grain: one row per column of text outside research that the role may read.
-- Purpose: a role that can do more than it should.
SELECT c.relname || '.' || a.attname AS name
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
INNER JOIN pg_catalog.pg_attribute AS a ON c.oid = a.attrelid
WHERE
    n.nspname = 'deid' AND c.relname IN ('candidate', 'published_document')
    AND a.attname IN ('text', 'markup', 'title')
    AND pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT')
ORDER BY name;

-- name: writes
-- Grain: one row. Purpose: whether the role that reads a warehouse could change it.
SELECT count(*)::int
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
WHERE
    n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND c.relkind IN ('r', 'p')
    AND (
        pg_catalog.has_any_column_privilege(c.oid, 'INSERT') OR pg_catalog.has_any_column_privilege(c.oid, 'UPDATE')
        OR pg_catalog.has_table_privilege(c.oid, 'DELETE') OR pg_catalog.has_table_privilege(c.oid, 'TRUNCATE')
    );
