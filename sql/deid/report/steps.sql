-- Grain: one step. Purpose: its cost over all batches; memory is the highest seen in one process.
SELECT
    t.step,
    count(*) AS batches,
    sum(t.seconds) AS seconds,
    sum(t.documents) AS documents,
    sum(t.characters) AS characters,
    max(t.peak_rss_mb) AS peak_rss_mb
FROM deid.timing AS t
WHERE t.run_id = ANY(%(run_ids)s)
GROUP BY t.step
ORDER BY min(t.at)
