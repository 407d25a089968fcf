-- Grain: one release.
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
WHERE release_id = %(release_id)s AND state = 'loading'
