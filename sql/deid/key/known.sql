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
ORDER BY k.key_version
