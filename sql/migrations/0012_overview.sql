-- What the overview and the release pages compare: policies by their hash, where each interval stands, mentions by run.

-- Grain: one policy that a run was planned with; `content` is the canonical JSON that its hash is taken over.
CREATE TABLE deid.policy (
    policy_hash text PRIMARY KEY,
    content jsonb NOT NULL,
    first_planned_at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT ON deid.policy TO nocturne_worker;
GRANT SELECT ON deid.policy TO nocturne_publisher, nocturne_steward;

CREATE INDEX release_interval ON research.release (interval_key);

-- Grain: one label in one type of document of a run. Tallied once the run is staged, counted until then.
CREATE VIEW deid.mention_count AS
SELECT t.run_id, t.document_type, t.label, t.mentions FROM deid.mention_tally AS t
UNION ALL
SELECT m.run_id, coalesce(d.document_type, '') AS document_type, m.label, count(*) AS mentions
FROM deid.mention AS m
INNER JOIN deid.document AS d ON m.document_id = d.document_id AND m.run_id = d.run_id
WHERE m.run_id IN (
    SELECT r.run_id FROM deid.run AS r
    WHERE NOT EXISTS (SELECT FROM deid.mention_tally AS t WHERE t.run_id = r.run_id)
)
GROUP BY 1, 2, 3;

-- Grain: one interval that a run has worked on. `state` is where it stands:
-- unfinished  a run is at work, or died at it        empty      no document was new, none was withdrawn
-- published   nothing is left to publish             refused    a critical check failed, whatever people say
-- waiting     checked, and not decided               rejected   a person said no (`rework`: and asked to do it again)
-- What was decided of an earlier staging says nothing of what a later run has staged.
CREATE VIEW deid.interval_state AS
WITH worked AS (
    SELECT
        r.interval_key,
        min(r.interval_start) AS interval_start,
        max(r.interval_end) AS interval_end,
        array_agg(r.run_id ORDER BY r.run_id) AS run_ids,
        (array_agg(r.state ORDER BY r.run_id DESC))[1] AS last_state,
        max(r.seen) AS seen,
        sum(r.planned) AS planned,
        max(r.started_at) AS started_at,
        max(r.finished_at) AS finished_at,
        coalesce(max(r.finished_at) FILTER (WHERE r.planned > 0), max(r.finished_at)) AS staged_at
    FROM deid.run AS r
    WHERE NOT r.dry_run
    GROUP BY r.interval_key
)

SELECT
    w.interval_key,
    w.interval_start,
    w.interval_end,
    w.run_ids,
    w.seen,
    w.planned,
    w.started_at,
    w.finished_at,
    d.treated,
    d.waiting,
    d.quarantined,
    d.unfinished,
    p.published_at,
    p.published,
    p.corrected,
    p.withdrawn,
    c.chosen,
    c.decided_by,
    c.decided_at,
    CASE
        WHEN d.unfinished > 0 OR w.last_state = 'planned' THEN 'unfinished'
        WHEN d.waiting = 0 AND p.published_at IS NOT NULL THEN 'published'
        WHEN c.chosen = 'refused' AND c.decided_at >= w.staged_at THEN 'refused'
        WHEN c.chosen IN ('reject', 'rework') AND c.decided_at >= w.staged_at THEN 'rejected'
        WHEN w.planned = 0 AND NOT EXISTS (
            SELECT FROM deid.withdrawal AS g WHERE g.run_id = ANY(w.run_ids)
        ) THEN 'empty'
        ELSE 'waiting'
    END AS state
FROM worked AS w
CROSS JOIN LATERAL (
    SELECT
        coalesce(sum(x.documents) FILTER (
            WHERE x.state NOT IN ('planned', 'detected', 'substituted', 'validated')
        ), 0)::bigint AS treated,
        coalesce(sum(x.documents) FILTER (WHERE x.state = 'staged'), 0)::bigint AS waiting,
        coalesce(sum(x.documents) FILTER (WHERE x.state = 'quarantined'), 0)::bigint AS quarantined,
        coalesce(sum(x.documents) FILTER (
            WHERE x.state IN ('planned', 'detected', 'substituted', 'validated')
        ), 0)::bigint AS unfinished
    FROM deid.document_change AS x
    WHERE x.run_id = ANY(w.run_ids)
) AS d
CROSS JOIN LATERAL (
    SELECT
        max(y.published_at) AS published_at,
        coalesce(sum((y.counts ->> 'published')::int), 0)::bigint AS published,
        coalesce(sum((y.counts ->> 'replaced')::int), 0)::bigint AS corrected,
        coalesce(sum((y.counts ->> 'withdrawn')::int), 0)::bigint AS withdrawn
    FROM research.release AS y
    WHERE y.interval_key = w.interval_key AND y.published_at IS NOT NULL
) AS p
LEFT JOIN LATERAL (
    SELECT z.chosen, z.decided_by, z.decided_at
    FROM deid.decision AS z
    WHERE z.interval_key = w.interval_key AND z.chosen <> 'proposed'
    ORDER BY z.decided_at DESC
    LIMIT 1
) AS c ON true;

GRANT SELECT ON deid.mention_count, deid.interval_state TO nocturne_publisher, nocturne_steward;
