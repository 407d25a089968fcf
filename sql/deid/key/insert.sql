-- Grain: one version of the secret. Purpose: keep its fingerprint at its first use.
INSERT INTO deid.key (key_version, fingerprint)
VALUES (%(key_version)s, %(key_fingerprint)s)
ON CONFLICT DO NOTHING
