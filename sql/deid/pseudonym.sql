-- name: add
-- Grain: one document, patient or stay under one version of the secret. Purpose: its pseudonym.
INSERT INTO deid.pseudonym (kind, ledger_id, key_fingerprint, encrypted)
SELECT DISTINCT
    w.kind,
    w.ledger_id,
    w.key_fingerprint,
    w.encrypted
FROM unnest(%(kinds)s::text[], %(ledger_ids)s::text[], %(fingerprints)s::text[], %(encrypted)s::text[])
    AS w (kind, ledger_id, key_fingerprint, encrypted)
ORDER BY w.kind, w.ledger_id, w.key_fingerprint
ON CONFLICT DO NOTHING;

-- name: forget
-- Grain: one id of the ledger. Purpose: what is still published under a version of the secret is cut off from the
-- ledger; the ids to cut off from the source.
SELECT k.ledger_id FROM deid.forget_key(%(fingerprint)s) AS k (ledger_id);

-- name: insert
-- Grain: one document, patient or stay of a batch. Purpose: its pseudonym under the run's version of the secret.
INSERT INTO deid.pseudonym (kind, ledger_id, key_fingerprint, encrypted)
SELECT DISTINCT
    i.kind,
    i.ledger_id,
    i.key_fingerprint,
    i.encrypted
FROM incoming_pseudonym AS i
ORDER BY i.kind, i.ledger_id
ON CONFLICT DO NOTHING;

-- name: former
-- Grain: one encrypted pseudonym. Purpose: those of a release's documents under other versions of the secret than drew
-- the rows.
SELECT p.ledger_id, p.key_fingerprint, p.encrypted
FROM deid.document AS d
INNER JOIN deid.run AS r ON d.run_id = r.run_id
INNER JOIN deid.pseudonym AS p
    ON p.kind = 'document' AND d.document_id = p.ledger_id AND r.key_fingerprint <> p.key_fingerprint
WHERE d.release_id = %(release_id)s AND d.state = 'published';

-- name: of
-- Grain: one encrypted pseudonym. Purpose: those of some documents or patients, under every version of the secret.
SELECT p.ledger_id, p.key_fingerprint, p.encrypted
FROM deid.pseudonym AS p
WHERE p.kind = %(kind)s AND p.ledger_id = ANY(%(ledger_ids)s);

-- name: patients
-- Grain: one encrypted pseudonym. Purpose: those of all patients, to find whose an opt-out names.
SELECT p.ledger_id, p.key_fingerprint, p.encrypted FROM deid.pseudonym AS p WHERE p.kind = 'patient';
