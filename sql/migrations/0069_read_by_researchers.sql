-- A release that is published and not read yet is told from one that researchers read.

-- Whether researchers read all that the releases of an interval hold; false where these hold nothing.
CREATE FUNCTION deid.is_read(about text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT
        EXISTS (
            SELECT FROM deid.release AS r
            INNER JOIN deid.published_document AS p ON r.release_id = p.release_id
            WHERE r.interval_key = $1 AND p.visible_from IS NOT NULL
        )
        AND NOT EXISTS (
            SELECT FROM deid.release AS r
            INNER JOIN deid.published_document AS p ON r.release_id = p.release_id
            WHERE r.interval_key = $1 AND p.visible_from IS NULL
        )
$$;
REVOKE ALL ON FUNCTION deid.is_read(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.is_read(text) TO nocturne_publisher, nocturne_steward;

-- Where an interval stands, given its state in deid.interval_state: one that waits may be approved once, approved, in
-- the middle of its publication, or have failed to be published; one that people refused may be sent back; one that is
-- published may be read.
CREATE OR REPLACE FUNCTION deid.release_state(about text, state text) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
    SELECT CASE
        WHEN $2 = 'rejected' AND d.chosen = 'rework' THEN 'sent_back'
        WHEN $2 = 'published' AND deid.is_read($1) THEN 'visible'
        WHEN $2 <> 'waiting' OR d.chosen IS DISTINCT FROM 'approve' OR d.decided_at < s.staged_at THEN $2
        WHEN d.missing > 0 THEN 'approved_once'
        WHEN p.started_at >= d.decided_at AND p.state IN ('publishing', 'failed') THEN p.state
        ELSE 'approved'
    END
    FROM (
        SELECT max(r.finished_at) AS staged_at
        FROM deid.run AS r
        WHERE r.interval_key = $1 AND r.state = 'staged'
    ) AS s
    LEFT JOIN LATERAL (
        SELECT o.chosen, o.decided_at, o.missing
        FROM deid.told_decision AS o
        WHERE o.interval_key = $1 AND o.chosen <> 'proposed'
        ORDER BY o.decided_at DESC
        LIMIT 1
    ) AS d ON true
    LEFT JOIN deid.last_publication AS p ON p.interval_key = $1
$$;
