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
FROM standing AS s
