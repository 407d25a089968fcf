-- Roles and schemas: which part of the product may see what. Roles belong to the whole cluster and may be there
-- already (another database, or a hospital's own administrator made them), so each is made only if absent.
-- They cannot log in until an administrator gives them a password, or grants them to logins of the hospital.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'nocturne_reader', 'nocturne_worker', 'nocturne_refresher', 'nocturne_publisher', 'nocturne_steward', 'researcher'
    ] LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN', name);
            END IF;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL; -- another database of this cluster was migrated at the same moment
        END;
        EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), name);
    END LOOP;
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format(
        'GRANT TEMPORARY ON DATABASE %I TO nocturne_worker, nocturne_refresher, nocturne_publisher', current_database()
    );
END
$$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;

CREATE SCHEMA deid;
CREATE SCHEMA research;

GRANT USAGE ON SCHEMA deid TO nocturne_worker, nocturne_publisher, nocturne_steward;
GRANT USAGE ON SCHEMA research TO nocturne_publisher, nocturne_steward, researcher;

-- The fictional hospital's warehouse. A hospital's own lies in another database, and this schema stays empty.
CREATE SCHEMA cdw;
GRANT USAGE ON SCHEMA cdw TO nocturne_reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA cdw GRANT SELECT ON TABLES TO nocturne_reader;
