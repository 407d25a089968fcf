-- name: read
-- Grain: one metric, by its name. Purpose: what monitoring watches of an interval and of the deployment: numbers, whose
-- names hold steps, reasons and sources, never an id. Documents and ε are those of the interval's balance and sums,
-- once each whatever the number of runs; `step` is the work of all runs.
WITH mine AS (
    SELECT r.run_id FROM deid.run AS r WHERE r.interval_key = %(interval_key)s AND NOT r.dry_run
),

state AS (
    SELECT
        b.seen, b.seen - b.untaken AS planned, b.waiting, b.quarantined, b.unfinished, b.published, b.removed,
        s.withdrawn, m.epsilon
    FROM deid.interval_state AS s
    CROSS JOIN LATERAL deid.interval_balance(s.interval_key) AS b
    CROSS JOIN LATERAL deid.interval_sums(s.interval_key, s.run_ids) AS m
    WHERE s.interval_key = %(interval_key)s
),

-- As the report counts them (report.sql, quarantine).
held AS (
    SELECT q.reason, count(*) AS documents
    FROM deid.quarantine AS q
    INNER JOIN deid.counted_document AS d
        ON q.run_id = d.run_id AND q.document_id = d.document_id AND q.content_hash = d.content_hash
    WHERE d.interval_key = %(interval_key)s AND d.state = 'quarantined'
    GROUP BY q.reason
),

steps AS (
    SELECT w.step, sum(t.documents) AS documents, sum(t.seconds) AS seconds, sum(t.characters) AS characters
    FROM unnest(%(steps)s::text[]) AS w (step)
    LEFT JOIN deid.timing AS t ON w.step = t.step AND t.run_id IN (SELECT m.run_id FROM mine AS m)
    GROUP BY w.step
)

SELECT 'night.' || n.name AS name, n.value::double precision AS value
FROM state AS s
CROSS JOIN LATERAL (VALUES
    ('seen', s.seen), ('planned', s.planned), ('staged', s.waiting), ('quarantined', s.quarantined),
    ('unfinished', s.unfinished), ('published', s.published), ('removed', s.removed),
    ('withdrawn', s.withdrawn)
) AS n (name, value)
UNION ALL
SELECT 'quarantined.' || w.reason, coalesce(h.documents, 0)
FROM unnest(%(reasons)s::text[]) AS w (reason)
LEFT JOIN held AS h ON w.reason = h.reason
UNION ALL
SELECT 'step.' || t.step || '.' || n.name, coalesce(n.value, 0)
FROM steps AS t
CROSS JOIN LATERAL (VALUES
    ('documents', t.documents::double precision), ('seconds', t.seconds),
    ('characters', t.characters::double precision)
) AS n (name, value)
UNION ALL
SELECT 'epsilon', coalesce(max(s.epsilon), 0) FROM state AS s
UNION ALL
SELECT 'references.oldest_days', coalesce(max(v.age_days), 0) FROM ref.source_state AS v
UNION ALL
SELECT 'decisions.overdue', count(*) FROM deid.question AS q
WHERE q.closed_at IS NULL AND q.asked_at < now() - make_interval(hours => %(decision_hours)s)
UNION ALL
SELECT 'runs.unfinished', count(*) FROM deid.run AS r WHERE r.state = 'planned';
