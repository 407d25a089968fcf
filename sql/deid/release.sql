-- name: count_withdrawn
-- Grain: one release. Purpose: keep the number of documents it removed, whatever happens to the process.
UPDATE deid.release
SET counts = counts || jsonb_build_object('withdrawn', coalesce((counts ->> 'withdrawn')::int, 0) + %(removed)s)
WHERE release_id = %(release_id)s;

-- name: finish
-- Grain: one release. Purpose: count what it did; researchers read it from the next rewriting on.
UPDATE deid.release AS r
SET
    published_at = now(),
    counts = (
        SELECT jsonb_build_object(
            'published', count(*) FILTER (WHERE d.state = 'published'),
            'replaced', count(*) FILTER (WHERE d.state = 'published' AND EXISTS (
                SELECT FROM deid.document AS o
                WHERE o.document_id = d.document_id AND o.state = 'superseded' AND o.release_id < r.release_id
            )),
            'withdrawn', coalesce((r.counts ->> 'withdrawn')::int, 0)
        )
        FROM deid.document AS d
        WHERE d.release_id = r.release_id
    )
WHERE
    r.release_id = %(release_id)s
    AND NOT EXISTS (SELECT FROM deid.document AS d WHERE d.release_id = r.release_id AND d.state = 'staged')
RETURNING r.run_ids[cardinality(r.run_ids)] AS run_id, (r.counts ->> 'published')::int AS documents;

-- name: insert
-- Grain: one release. Purpose: open it; no rewriting shows its rows to researchers until it is finished.
INSERT INTO deid.release (interval_key, run_ids, policy_hash, pipeline_version, staged_digest)
VALUES (%(interval_key)s, %(run_ids)s, %(policy_hash)s, %(pipeline_version)s, %(staged_digest)s)
RETURNING release_id;

-- name: latest
-- Grain: one release. Purpose: the last finished one of an interval.
SELECT release_id, run_ids, staged_digest, counts
FROM deid.release
WHERE interval_key = %(interval_key)s AND published_at IS NOT NULL
ORDER BY release_id DESC
LIMIT 1;

-- name: unfinished
-- Grain: one release. Purpose: the one of this interval that was interrupted, if any: it is finished first.
SELECT release_id, run_ids FROM deid.release WHERE interval_key = %(interval_key)s AND published_at IS NULL;
