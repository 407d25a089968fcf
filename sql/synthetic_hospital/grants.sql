-- Grain: the schema cdw.
-- Purpose: the reader reads the warehouse, where that role exists; nobody but the owner reads gold.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'nocturne_reader') THEN
        GRANT USAGE ON SCHEMA cdw TO nocturne_reader;
        GRANT SELECT ON ALL TABLES IN SCHEMA cdw TO nocturne_reader;
    END IF;
END $$;
REVOKE ALL ON SCHEMA gold FROM PUBLIC;
