-- name: add
-- Grain: one id of the source. Purpose: a random id of the ledger for each that was never met.
INSERT INTO identity.mapping (kind, source_id)
SELECT DISTINCT
    %(kind)s AS kind,
    w.source_id
FROM unnest(%(source_ids)s::text[]) AS w (source_id)
WHERE NOT EXISTS (
    SELECT FROM identity.mapping AS m WHERE m.kind = %(kind)s AND m.source_id = w.source_id
)
ORDER BY w.source_id
ON CONFLICT DO NOTHING;

-- name: adopted
-- Grain: one id of an earlier version. Purpose: its pseudonyms are computed.
UPDATE identity.mapping SET adopted = true WHERE ledger_id = ANY(%(ledger_ids)s) AND NOT adopted;

-- name: discarded
-- Grain: one digest discarded before versions were named by their patient. Purpose: its salted form, and itself.
SELECT k.salted, k.digest FROM identity.discarded AS k;

-- name: forget
-- Grain: one id of the ledger. Purpose: it is cut off from the source.
SELECT identity.forget(%(ledger_ids)s::text[]);

-- name: salt
-- Grain: the deployment. Purpose: what digests of contents are salted with.
SELECT s.salt FROM identity.salt AS s;

-- name: to_adopt
-- Grain: one id of an earlier version. Purpose: those that lack their pseudonyms, locked.
SELECT m.kind, m.ledger_id, m.source_id
FROM identity.mapping AS m
WHERE NOT m.adopted
ORDER BY m.ledger_id
LIMIT %(page)s
FOR UPDATE;

-- name: to_ledger
-- Grain: one id of the source. Purpose: the ledger's.
SELECT m.source_id, m.ledger_id
FROM identity.mapping AS m
WHERE m.kind = %(kind)s AND m.source_id = ANY(%(source_ids)s);

-- name: to_source
-- Grain: one id of the ledger. Purpose: the source's.
SELECT m.ledger_id, m.source_id
FROM identity.mapping AS m
WHERE m.kind = %(kind)s AND m.ledger_id = ANY(%(ledger_ids)s);

-- name: wait
-- Grain: the deployment. Purpose: whether ids of an earlier version wait for their pseudonyms.
SELECT identity.ids_wait();
