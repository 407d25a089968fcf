-- Grain: one release. Purpose: what each one did, in order.
SELECT
    r.interval_key,
    coalesce((r.counts ->> 'published')::int, 0) AS published,
    coalesce((r.counts ->> 'replaced')::int, 0) AS corrected,
    coalesce((r.counts ->> 'withdrawn')::int, 0) AS withdrawn
FROM research.release AS r
WHERE r.published_at IS NOT NULL
ORDER BY r.release_id
