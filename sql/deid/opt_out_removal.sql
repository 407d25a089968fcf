-- name: insert
-- Grain: published documents of one release and type. Purpose: what an opt-out removed.
INSERT INTO deid.opt_out_removal (opt_out_id, release_id, document_type, documents)
VALUES (%(opt_out_id)s, %(release_id)s, %(document_type)s, %(documents)s);
