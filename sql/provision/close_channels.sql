-- Closes what PostgreSQL opens to every role by default, and what lets one role hand bytes to another, or stand in the
-- way of others, whatever its privileges on tables. Run by a superuser in the product's database, for the functions of
-- PostgreSQL belong to one; can be run again at any time. What stays open: docs/operators.md, "Between roles".
DO $$
DECLARE
    one record;
BEGIN
    -- Large objects; advisory locks; what each session calls itself.
    FOR one IN
        SELECT p.oid::regprocedure AS signature
        FROM pg_proc AS p
        WHERE
            p.pronamespace = 'pg_catalog'::regnamespace
            AND (
                p.proname LIKE 'lo\_%' OR p.proname IN ('loread', 'lowrite')
                OR p.proname LIKE 'pg\_advisory\_%' OR p.proname LIKE 'pg\_try\_advisory\_%'
                OR p.proname = 'pg_stat_get_activity'
            )
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', one.signature);
    END LOOP;

    -- A role may set parameters of its own invention for itself, of any length, and everybody may read them.
    REVOKE SELECT ON pg_catalog.pg_db_role_setting FROM PUBLIC;
    FOR one IN
        SELECT a.attrelid::regclass AS view, string_agg(quote_ident(a.attname), ', ') AS columns
        FROM pg_attribute AS a
        WHERE
            a.attrelid IN ('pg_catalog.pg_roles'::regclass, 'pg_catalog.pg_user'::regclass)
            AND a.attnum > 0 AND a.attname NOT IN ('rolconfig', 'useconfig')
        GROUP BY 1
    LOOP
        EXECUTE format('REVOKE SELECT ON %s FROM PUBLIC', one.view);
        EXECUTE format('GRANT SELECT (%s) ON %s TO PUBLIC', one.columns, one.view);
    END LOOP;

    -- Databases in which every role may log in, and leave what another reads.
    FOR one IN
        SELECT d.datname AS name FROM pg_database AS d
        WHERE d.datname IN ('postgres', 'template1', current_database())
    LOOP
        EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', one.name);
    END LOOP;

    -- A researcher's login may not use up the connections or the disk of the server.
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'researcher') THEN
        ALTER ROLE researcher CONNECTION LIMIT 20;
        ALTER ROLE researcher SET temp_file_limit = '4GB';
    END IF;
END
$$;

-- Monitoring and backups keep what they need.
GRANT EXECUTE ON FUNCTION pg_catalog.pg_stat_get_activity TO pg_read_all_stats;
