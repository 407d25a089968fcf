-- Grain: one category of elements and its mechanism. Purpose: what it costs per document, in nats.
SELECT
    b.category,
    b.mechanism,
    count(*) AS documents,
    sum(b.elements) AS elements,
    avg(b.epsilon) AS mean,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY b.epsilon) AS p50,
    percentile_cont(0.95) WITHIN GROUP (ORDER BY b.epsilon) AS p95,
    max(b.epsilon) AS most
FROM deid.budget AS b
WHERE b.run_id = ANY(%(run_ids)s)
GROUP BY b.category, b.mechanism
ORDER BY b.category, b.mechanism
