-- name: read
-- Grain: one metric, by its name. Purpose: what monitoring watches of an interval and of the deployment: numbers, whose
-- names hold steps, reasons and sources, never an id.
WITH mine AS (
    SELECT r.run_id FROM deid.run AS r WHERE r.interval_key = %(interval_key)s AND NOT r.dry_run
),

state AS (
    SELECT b.seen, s.planned, b.waiting, b.quarantined, b.unfinished, b.published, s.withdrawn
    FROM deid.interval_state AS s
    CROSS JOIN LATERAL deid.interval_balance(s.interval_key) AS b
    WHERE s.interval_key = %(interval_key)s
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
    ('unfinished', s.unfinished), ('published', s.published), ('withdrawn', s.withdrawn)
) AS n (name, value)
UNION ALL
SELECT 'quarantined.' || w.reason, count(q.document_id)
FROM unnest(%(reasons)s::text[]) AS w (reason)
LEFT JOIN deid.quarantine AS q ON w.reason = q.reason AND q.run_id IN (SELECT m.run_id FROM mine AS m)
GROUP BY w.reason
UNION ALL
SELECT 'step.' || t.step || '.' || n.name, coalesce(n.value, 0)
FROM steps AS t
CROSS JOIN LATERAL (VALUES
    ('documents', t.documents::double precision), ('seconds', t.seconds),
    ('characters', t.characters::double precision)
) AS n (name, value)
UNION ALL
SELECT 'epsilon', coalesce(sum(t.epsilon), 0) FROM deid.spend_tally AS t
WHERE t.run_id IN (SELECT m.run_id FROM mine AS m)
UNION ALL
SELECT 'references.oldest_days', coalesce(max(v.age_days), 0) FROM ref.source_state AS v
UNION ALL
SELECT 'decisions.overdue', count(*) FROM deid.question AS q
WHERE q.closed_at IS NULL AND q.asked_at < now() - make_interval(hours => %(decision_hours)s)
UNION ALL
SELECT 'runs.unfinished', count(*) FROM deid.run AS r WHERE r.state = 'planned';
