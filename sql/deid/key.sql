-- name: destroy
-- Grain: one version of the secret. Purpose: it is gone, and may never be used again.
INSERT INTO deid.key (key_version, fingerprint, destroyed_at)
VALUES (%(key_version)s, %(key_fingerprint)s, now())
ON CONFLICT (key_version) DO UPDATE
SET destroyed_at = coalesce(deid.key.destroyed_at, excluded.destroyed_at)
WHERE deid.key.fingerprint = excluded.fingerprint;

-- name: insert
-- Grain: one version of the secret. Purpose: keep its fingerprint at its first use.
INSERT INTO deid.key (key_version, fingerprint)
VALUES (%(key_version)s, %(key_fingerprint)s)
ON CONFLICT DO NOTHING;

-- name: known
-- Grain: one version of the secret. Purpose: whether it was destroyed, and whether the ledger has documents published
-- under it.
SELECT
    k.key_version,
    k.fingerprint,
    k.destroyed_at IS NOT NULL AS destroyed,
    EXISTS (
        SELECT FROM deid.run AS r
        INNER JOIN deid.document AS d ON r.run_id = d.run_id
        WHERE r.key_fingerprint = k.fingerprint AND d.state = 'published'
    ) AS published
FROM deid.key AS k
ORDER BY k.key_version;
