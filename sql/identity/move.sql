-- name: mapping
-- Grain: one document, patient or stay. Purpose: what the schema held in another database.
INSERT INTO identity.mapping (kind, source_id, ledger_id, adopted)
SELECT m.kind, m.source_id, m.ledger_id, m.adopted FROM moved_mapping AS m
ON CONFLICT DO NOTHING;

-- name: opt_out
-- Grain: one opt-out by the source's patient id. Purpose: what the schema held in another database.
INSERT INTO identity.opt_out (opt_out_id, source_id)
SELECT m.opt_out_id, m.source_id FROM moved_opt_out AS m
ON CONFLICT DO NOTHING;

-- name: discarded
-- Grain: one digest of an earlier version. Purpose: what the schema held in another database.
INSERT INTO identity.discarded (salted, digest)
SELECT m.salted, m.digest FROM moved_discarded AS m
ON CONFLICT DO NOTHING;

-- name: salt
-- Grain: one row. Purpose: the salt that the schema had in another database, where no digest has used this one yet.
DELETE FROM identity.salt WHERE NOT EXISTS (SELECT FROM identity.mapping);
INSERT INTO identity.salt (salt)
SELECT m.salt FROM moved_salt AS m
WHERE NOT EXISTS (SELECT FROM identity.salt);

-- name: lacking
-- Grain: the schema. Purpose: whether a row that came is not here, because another is in its place.
SELECT
    EXISTS (SELECT m.kind, m.source_id, m.ledger_id FROM moved_mapping AS m
        EXCEPT SELECT h.kind, h.source_id, h.ledger_id FROM identity.mapping AS h)
    OR EXISTS (SELECT m.opt_out_id, m.source_id FROM moved_opt_out AS m
        EXCEPT SELECT h.opt_out_id, h.source_id FROM identity.opt_out AS h)
    OR EXISTS (SELECT m.salted, m.digest FROM moved_discarded AS m
        EXCEPT SELECT h.salted, h.digest FROM identity.discarded AS h)
    OR EXISTS (SELECT m.salt FROM moved_salt AS m EXCEPT SELECT h.salt FROM identity.salt AS h) AS is_lacking;

-- name: close
-- Grain: the schema. Purpose: its ids lie in another database: neither a row nor the statistics of the tables keep one
-- here (a change of type drops these), and a process that is not told of the other is refused.
TRUNCATE identity.mapping, identity.opt_out, identity.discarded, identity.salt;
ALTER TABLE identity.mapping ALTER COLUMN source_id TYPE text, ALTER COLUMN ledger_id TYPE text;
ALTER TABLE identity.opt_out ALTER COLUMN source_id TYPE text;
ALTER TABLE identity.discarded ALTER COLUMN digest TYPE text, ALTER COLUMN salted TYPE text;
ALTER TABLE identity.salt ALTER COLUMN salt TYPE text;
REVOKE USAGE ON SCHEMA identity FROM nocturne_reader, nocturne_worker, nocturne_publisher, nocturne_steward;

-- name: open
-- Grain: the schema. Purpose: the roles may use it, in a database that may have been closed before.
GRANT USAGE ON SCHEMA identity TO nocturne_reader, nocturne_worker, nocturne_publisher, nocturne_steward;
