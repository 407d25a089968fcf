-- What was applied to this database, for tasks that refuse one which lacks a migration. No role but the owner may use
-- the schema public, and every role of a task may use this one.
CREATE VIEW ref.applied_migration AS SELECT migration_id FROM public._yoyo_migration;
COMMENT ON VIEW ref.applied_migration IS
'Migrations appliquées à cette base. / Migrations that were applied to this database.';
GRANT SELECT ON ref.applied_migration TO nocturne_worker, nocturne_publisher, nocturne_steward, nocturne_refresher;
