-- Figures count each document once, whatever the number of runs that took it up.

-- Grain: one document of one interval: its version that counts, the latest that no other has superseded.
CREATE VIEW deid.counted_document WITH (security_invoker = true) AS
SELECT DISTINCT ON (r.interval_key, d.document_id)
    r.interval_key, d.document_id, d.content_hash, d.run_id, d.state, d.patient_id, d.document_type, d.characters,
    d.durations, d.durations_lost
FROM deid.document AS d
INNER JOIN deid.run AS r ON d.run_id = r.run_id
WHERE d.state <> 'superseded' AND NOT r.dry_run
ORDER BY r.interval_key, d.document_id, d.run_id DESC;

-- What the tallies of a run hold and figures do not count.
CREATE INDEX document_superseded ON deid.document (run_id) WHERE state = 'superseded';

-- `published`: documents of the interval that researchers read, or will at the next rewriting. `corrected`: those that
-- took the place of another published version. `withdrawn`: documents that its releases removed. `treated`: documents
-- that went through every step and still count here; a document that a later interval corrected counts there.
CREATE OR REPLACE VIEW deid.interval_state AS
WITH worked AS (
    SELECT
        r.interval_key,
        min(r.interval_start) AS interval_start,
        max(r.interval_end) AS interval_end,
        array_agg(r.run_id ORDER BY r.run_id) AS run_ids,
        (array_agg(r.state ORDER BY r.run_id DESC))[1] AS last_state,
        max(r.seen) AS seen,
        sum(r.planned) AS planned,
        count(*) FILTER (WHERE r.planned > 0) > 1 AS repeated,
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
    (n.published - n.unreleased - n.opted_out)::bigint AS published,
    CASE WHEN p.releases > 1 THEN n.replacing ELSE p.replaced END AS corrected,
    p.withdrawn,
    c.chosen,
    c.decided_by,
    c.decided_at,
    CASE
        WHEN d.unfinished > 0 OR w.last_state = 'planned' THEN 'unfinished'
        -- in the middle of a release, which has ended with what it had written
        WHEN c.chosen = 'rework' AND c.decided_at >= w.staged_at AND c.decided_at >= p.published_at THEN 'rejected'
        WHEN d.waiting = 0 AND p.published_at IS NOT NULL THEN 'published'
        WHEN c.chosen = 'refused' AND c.decided_at >= w.staged_at THEN 'refused'
        WHEN c.chosen IN ('reject', 'rework') AND c.decided_at >= w.staged_at THEN 'rejected'
        WHEN w.planned = 0 AND NOT EXISTS (
            SELECT FROM deid.withdrawal AS g WHERE g.run_id = ANY(w.run_ids)
        ) THEN 'empty'
        ELSE 'waiting'
    END AS state
FROM worked AS w
-- One run holds a document once: its tally is enough. Several runs are counted document by document.
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
    FROM (
        SELECT t.state, t.documents
        FROM deid.document_change AS t
        WHERE NOT w.repeated AND t.run_id = ANY(w.run_ids) AND t.state <> 'superseded'
        UNION ALL
        SELECT v.state, 1 AS documents
        FROM (
            SELECT DISTINCT ON (o.document_id) o.state
            FROM deid.document AS o
            WHERE w.repeated AND o.run_id = ANY(w.run_ids) AND o.state <> 'superseded'
            ORDER BY o.document_id, o.run_id DESC
        ) AS v
    ) AS x
) AS d
CROSS JOIN LATERAL (
    SELECT
        max(y.published_at) AS published_at,
        count(*) AS releases,
        coalesce(sum((y.counts ->> 'replaced')::int), 0)::bigint AS replaced,
        coalesce(sum((y.counts ->> 'withdrawn')::int), 0)::bigint AS withdrawn
    FROM deid.release AS y
    WHERE y.interval_key = w.interval_key AND y.published_at IS NOT NULL
) AS p
CROSS JOIN LATERAL (
    SELECT
        (
            SELECT coalesce(sum(t.documents), 0)
            FROM deid.document_change AS t
            WHERE t.run_id = ANY(w.run_ids) AND t.state = 'published'
        ) AS published,
        (
            SELECT count(*)
            FROM deid.release AS y
            INNER JOIN deid.document AS o ON y.release_id = o.release_id
            WHERE y.interval_key = w.interval_key AND y.published_at IS NULL AND o.state = 'published'
        ) AS unreleased,
        (
            SELECT coalesce(sum(g.documents), 0)
            FROM deid.opt_out_removal AS g
            INNER JOIN deid.opt_out AS q ON g.opt_out_id = q.opt_out_id
            INNER JOIN deid.release AS y ON g.release_id = y.release_id
            WHERE q.applied_at IS NULL AND y.interval_key = w.interval_key
        ) AS opted_out,
        (
            SELECT count(*)
            FROM deid.release AS y
            INNER JOIN deid.document AS o ON y.release_id = o.release_id
            WHERE
                p.releases > 1 AND y.interval_key = w.interval_key AND y.published_at IS NOT NULL
                AND o.state = 'published'
                AND EXISTS (
                    SELECT FROM deid.document AS e
                    WHERE
                        e.document_id = o.document_id AND e.state = 'superseded' AND e.release_id < o.release_id
                )
        ) AS replacing
) AS n
LEFT JOIN LATERAL (
    SELECT z.chosen, z.decided_by, z.decided_at
    FROM deid.decision AS z
    WHERE z.interval_key = w.interval_key AND z.chosen <> 'proposed'
    ORDER BY z.decided_at DESC
    LIMIT 1
) AS c ON true;

GRANT SELECT ON deid.counted_document TO nocturne_publisher, nocturne_steward;
