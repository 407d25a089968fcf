-- name: begin
-- Grain: one attempt to publish. Purpose: say that it goes on, as long as the transaction `life` does.
INSERT INTO deid.publication (interval_key, staged_digest, life)
VALUES (%(interval_key)s, %(staged_digest)s, %(life)s::xid8)
RETURNING publication_id;

-- name: end
-- Grain: one attempt to publish. Purpose: say how it ended.
UPDATE deid.publication SET ended_at = clock_timestamp(), error = %(error)s
WHERE publication_id = %(publication_id)s;

-- name: last
-- Grain: one content of an interval. Purpose: its last attempt to be published, if it was the interval's last.
SELECT p.state, p.started_at
FROM deid.last_publication AS p
WHERE p.interval_key = %(interval_key)s AND p.staged_digest = %(staged_digest)s;
