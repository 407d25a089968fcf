-- Grain: one new release.
-- Purpose: the number that the rows loaded beside those in use will carry.
INSERT INTO ref.release (source, version, checksum, bytes, rows, skipped, location, licence, etag, last_modified, state)
VALUES (
    %(source)s, %(version)s, %(checksum)s, %(bytes)s, 0, 0, %(location)s, %(licence)s, %(etag)s, %(last_modified)s, 'loading'
)
RETURNING release_id
