-- Grain: one new release.
-- Purpose: the number that the rows loaded beside those in use will carry.
INSERT INTO ref.release (
    source, version, checksum, bytes, rows, skipped, location, licence, files, published_on, state
)
VALUES (
    %(source)s, %(version)s, %(checksum)s, %(bytes)s, 0, 0, %(location)s, %(licence)s, %(files)s::jsonb,
    %(published_on)s, 'loading'
)
RETURNING release_id
