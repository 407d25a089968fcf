-- name: documents
-- Grain: the whole ledger. Purpose: how many documents there are, each counted once, where it stands now.
-- A document whose correction is held back stays published as it was: `corrections_held` counts those.
WITH standing AS (
    SELECT
        d.document_id,
        bool_or(d.state = 'published') AS published,
        bool_or(d.state = 'withdrawn') AS withdrawn,
        bool_or(d.state = 'staged') AS waiting,
        bool_or(d.state IN ('planned', 'detected', 'substituted', 'validated')) AS unfinished,
        bool_or(d.state = 'quarantined') AS quarantined,
        count(*) FILTER (WHERE d.state = 'superseded') AS superseded
    FROM deid.document AS d
    GROUP BY d.document_id
)

SELECT
    count(*) AS documents,
    count(*) FILTER (WHERE s.published) AS published,
    count(*) FILTER (WHERE s.published AND s.quarantined) AS corrections_held,
    count(*) FILTER (WHERE s.withdrawn AND NOT s.published) AS withdrawn,
    count(*) FILTER (WHERE s.waiting AND NOT (s.published OR s.withdrawn)) AS waiting,
    count(*) FILTER (WHERE s.unfinished AND NOT (s.published OR s.withdrawn OR s.waiting)) AS unfinished,
    count(*) FILTER (
        WHERE s.quarantined AND NOT (s.published OR s.withdrawn OR s.waiting OR s.unfinished)
    ) AS quarantined,
    coalesce(sum(s.superseded), 0)::bigint AS superseded
FROM standing AS s;

-- name: mentions
-- Grain: one label. Purpose: how many mentions were replaced in what researchers see now.
SELECT m.label, count(*) AS mentions
FROM deid.mention AS m
INNER JOIN deid.document AS d ON m.run_id = d.run_id AND m.document_id = d.document_id
WHERE d.state = 'published'
GROUP BY m.label
ORDER BY mentions DESC, m.label;

-- name: quarantine
-- Grain: one reason. Purpose: how many documents it holds back now, each under the reason of its latest version.
WITH latest AS (
    SELECT DISTINCT ON (q.document_id) q.document_id, q.reason
    FROM deid.quarantine AS q
    WHERE NOT EXISTS (
        SELECT FROM deid.document AS d
        WHERE d.document_id = q.document_id AND d.state <> 'quarantined' AND d.state <> 'superseded'
    )
    ORDER BY q.document_id ASC, q.run_id DESC
)

SELECT l.reason, count(*) AS documents
FROM latest AS l
GROUP BY l.reason
ORDER BY documents DESC, l.reason;

-- name: places
-- Grain: one document, where it stands now. Purpose: to count them by what the ledger does not know, such as formats.
SELECT
    d.document_id,
    CASE
        WHEN bool_or(d.state = 'published') THEN 'published'
        WHEN bool_or(d.state = 'withdrawn') THEN 'withdrawn'
        WHEN bool_or(d.state IN ('planned', 'detected', 'substituted', 'validated', 'staged')) THEN 'unfinished'
        ELSE 'quarantined'
    END AS place,
    (
        SELECT q.reason
        FROM deid.quarantine AS q
        WHERE q.document_id = d.document_id
        ORDER BY q.run_id DESC
        LIMIT 1
    ) AS reason
FROM deid.document AS d
GROUP BY d.document_id
ORDER BY d.document_id;

-- name: releases
-- Grain: one release. Purpose: what each one did, in order.
SELECT
    r.interval_key,
    coalesce((r.counts ->> 'published')::int, 0) AS published,
    coalesce((r.counts ->> 'replaced')::int, 0) AS corrected,
    coalesce((r.counts ->> 'withdrawn')::int, 0) AS withdrawn
FROM deid.release AS r
WHERE r.published_at IS NOT NULL
ORDER BY r.release_id;

-- name: run
-- Grain: one run. Purpose: what planning saw for a trigger, and how much of it was new.
SELECT r.seen, r.planned FROM deid.run AS r WHERE r.triggered_by = %(triggered_by)s;
