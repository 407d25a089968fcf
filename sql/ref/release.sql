-- name: former
-- Grain: one row, the version to go back to: the one given, else the last one that was in use and still has its rows.
-- Purpose: rollback.
SELECT release_id FROM ref.release
WHERE source = %(source)s AND state = 'former'
    AND CASE WHEN %(release_id)s::bigint IS NULL THEN withdrawn_at IS NULL ELSE release_id = %(release_id)s END
ORDER BY release_id DESC
LIMIT 1;

-- name: history
-- Grain: one row per version, of all sources or the one given, the latest first.
-- Purpose: what a person reads before going back.
SELECT
    source, release_id, version, state, rows, skipped, loaded_at, loaded_by, location, features, withdrawn_at,
    withdrawn_by
FROM ref.release
WHERE %(source)s::text IS NULL OR source = %(source)s
ORDER BY source, release_id DESC;

-- name: in_use
-- Grain: one row per source (all, or the one given), its version in use.
-- Purpose: what a refresh compares with, and which versions a nightly run cites.
SELECT source, release_id, version, checksum, rows, location, files
FROM ref.release
WHERE state = 'in_use' AND (%(source)s::text IS NULL OR source = %(source)s)
ORDER BY source;

-- name: lock
-- Purpose: one load of a source at a time, until the transaction ends; a load may outlast the usual statement.
SELECT ref.lock_source(%(source)s),
    set_config('statement_timeout', %(timeout_ms)s, true);

-- name: open
-- Grain: one new version.
-- Purpose: the number that the rows loaded beside those in use will carry.
INSERT INTO ref.release (
    source, version, checksum, bytes, rows, skipped, location, licence, files, features, published_on, state
)
VALUES (
    %(source)s, %(version)s, %(checksum)s, %(bytes)s, 0, 0, %(location)s, %(licence)s, %(files)s::jsonb,
    %(features)s::jsonb, %(published_on)s, 'loading'
)
RETURNING release_id;

-- name: restore
-- Grain: one version.
-- Purpose: second half of a rollback.
UPDATE ref.release SET state = 'in_use', withdrawn_at = NULL, withdrawn_by = NULL WHERE release_id = %(release_id)s;

-- name: retire
-- Grain: the version in use of one source.
-- Purpose: first half of the swap; the second takes its place in the same transaction.
UPDATE ref.release SET state = 'former' WHERE source = %(source)s AND state = 'in_use';

-- name: state
-- Grain: one row, if the source has a version of that number.
-- Purpose: why one cannot go back to it.
SELECT state FROM ref.release WHERE source = %(source)s AND release_id = %(release_id)s;

-- name: superseded
-- Grain: one row per version of a source whose rows need no longer be kept.
-- Purpose: prune. The version in use and those just before it stay, so that one can go back; a withdrawn one does not
-- count among them.
UPDATE ref.release
SET state = 'pruned'
WHERE state = 'former' AND source = %(source)s AND release_id NOT IN (
    SELECT release_id
    FROM ref.release
    WHERE source = %(source)s AND state IN ('in_use', 'former') AND withdrawn_at IS NULL
    ORDER BY state = 'in_use' DESC, release_id DESC
    LIMIT %(keep)s
)
RETURNING release_id;

-- name: take_place
-- Grain: one version.
-- Purpose: second half of the swap; the territories of communes are named by their hash (deid.reference.partition).
UPDATE ref.release
SET state = 'in_use', rows = %(rows)s, skipped = %(skipped)s,
    partition = (
        SELECT encode(sha256(convert_to(string_agg(
            insee || ' ' || territory, E'\n' ORDER BY insee || ' ' || territory COLLATE "C"
        ), 'UTF8')), 'hex')
        FROM ref.commune
        WHERE release_id = %(release_id)s
    )
WHERE release_id = %(release_id)s AND state = 'loading';

-- name: withdraw
-- Grain: the version in use of one source.
-- Purpose: first half of a rollback; who and when stay with it, and its file is not loaded again by itself.
UPDATE ref.release SET state = 'former', withdrawn_at = now(), withdrawn_by = session_user
WHERE source = %(source)s AND state = 'in_use';

-- name: withdrawn
-- Grain: one row, if somebody went back from this very file to a former version.
-- Purpose: the next refresh must not bring back what a person put away.
SELECT release_id FROM ref.release
WHERE source = %(source)s AND version = %(version)s AND withdrawn_at IS NOT NULL
LIMIT 1;
