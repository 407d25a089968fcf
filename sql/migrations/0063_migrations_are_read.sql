-- A task refuses to work on a database that lacks a migration, under the role that it has.
GRANT SELECT ON public._yoyo_migration TO nocturne_worker, nocturne_publisher, nocturne_steward, nocturne_refresher;
