-- Grain: one version of the secret. Purpose: it is gone, and may never be used again.
INSERT INTO deid.key (key_version, fingerprint, destroyed_at)
VALUES (%(key_version)s, %(key_fingerprint)s, now())
ON CONFLICT (key_version) DO UPDATE
SET destroyed_at = coalesce(deid.key.destroyed_at, excluded.destroyed_at)
WHERE deid.key.fingerprint = excluded.fingerprint
