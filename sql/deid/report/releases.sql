-- Grain: one interval. Purpose: what its releases have done so far; published_at is null if there was none.
SELECT
    max(r.published_at) AS published_at,
    coalesce(sum((r.counts ->> 'published')::int), 0) AS published,
    coalesce(sum((r.counts ->> 'replaced')::int), 0) AS corrected,
    coalesce(sum((r.counts ->> 'withdrawn')::int), 0) AS withdrawn
FROM research.release AS r
WHERE r.interval_key = %(interval_key)s AND r.published_at IS NOT NULL
