-- Pages of stewards answer in time over a year of a large hospital, and one function counts an interval's documents.

-- Rounds to two digits. Without settings of its own, so that it is inlined where it rounds each of many documents.
CREATE OR REPLACE FUNCTION deid.coarse(number numeric) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(CASE WHEN number < 100 THEN number ELSE round(number, 2 - length(trunc(number)::text)) END, 0)::bigint;

-- Grain: one label in one type of document of a run, without the documents that a step held back. Tallied once the run
-- is staged, counted until then. The run is that of the runs, so that what is asked of some reads no other.
CREATE OR REPLACE VIEW deid.mention_count AS
SELECT t.run_id, t.document_type, t.label, t.mentions FROM deid.mention_tally AS t
UNION ALL
SELECT r.run_id, k.document_type, k.label, k.mentions
FROM deid.run AS r
CROSS JOIN LATERAL (
    SELECT coalesce(d.document_type, '') AS document_type, m.label, count(*) AS mentions
    FROM deid.document AS d
    INNER JOIN deid.mention AS m ON d.run_id = m.run_id AND d.document_id = m.document_id
    WHERE
        d.run_id = r.run_id
        AND NOT EXISTS (SELECT FROM deid.quarantine AS q WHERE q.run_id = d.run_id AND q.document_id = d.document_id)
    GROUP BY 1, 2
) AS k
WHERE NOT EXISTS (SELECT FROM deid.mention_tally AS t WHERE t.run_id = r.run_id);

-- Which documents of some runs were held back, asked for each interval that is listed.
CREATE INDEX quarantine_run ON deid.quarantine (run_id, document_id);

-- Grain: one interval. The one count of its documents, which pages, reports, exports, metrics and ratios read. What
-- became of those that its runs saw, each counted once, in parts that add up to `seen`:
-- `visible`: published, and read; `later`: published, and read from the next rewriting on; `waiting`: ready, or in a
-- release that is under way; `removed`: withdrawn, recalled, or of a patient whose opt-out the ledger has yet to apply;
-- `moved`: corrected since by another interval; `unfinished`: at work, or sent back; `untaken`: known already, taken up
-- by another interval, discarded, of a patient who opted out, or outside of the filters.
-- Beside the parts: `treated` went through every step and count here; `published` are in research now, those with a
-- newer version that waits as well; `readable` are what researchers read of the interval, in this version or a former
-- one; `rewritten_at`: when researchers were last given what is published.
-- One run holds a document once: its tally is enough. Several runs are counted document by document.
DROP FUNCTION deid.interval_balance(text);
CREATE FUNCTION deid.interval_balance(interval_key text)
RETURNS TABLE (
    seen bigint, visible bigint, later bigint, waiting bigint, quarantined bigint, removed bigint, moved bigint,
    unfinished bigint, untaken bigint, treated bigint, published bigint, readable bigint, rewritten_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    WITH runs AS MATERIALIZED (
        SELECT
            coalesce(max(r.seen), 0) AS seen,
            array_agg(r.run_id) AS run_ids,
            count(*) FILTER (WHERE r.planned > 0) > 1 AS repeated
        FROM deid.run AS r
        WHERE r.interval_key = $1 AND NOT r.dry_run
    ),

    tallied AS MATERIALIZED (
        SELECT t.state, sum(t.documents)::bigint AS documents
        FROM runs AS w
        INNER JOIN deid.document_change AS t ON t.run_id = ANY(w.run_ids)
        GROUP BY t.state
    ),

    counted AS (
        SELECT t.state, t.documents
        FROM tallied AS t
        WHERE NOT (SELECT w.repeated FROM runs AS w)
        UNION ALL
        SELECT v.state, count(*) AS documents
        FROM (
            SELECT DISTINCT ON (d.document_id) d.state
            FROM runs AS w
            INNER JOIN deid.document AS d ON d.run_id = ANY(w.run_ids)
            WHERE w.repeated
            ORDER BY d.document_id, d.state = 'superseded', d.run_id DESC
        ) AS v
        GROUP BY v.state
    ),

    states AS (
        SELECT
            coalesce(sum(c.documents), 0)::bigint AS documents,
            coalesce(sum(c.documents) FILTER (WHERE c.state = 'staged'), 0)::bigint AS staged,
            coalesce(sum(c.documents) FILTER (WHERE c.state = 'published'), 0)::bigint AS published,
            coalesce(sum(c.documents) FILTER (WHERE c.state = 'quarantined'), 0)::bigint AS quarantined,
            coalesce(sum(c.documents) FILTER (WHERE c.state IN ('withdrawn', 'recalled')), 0)::bigint AS removed,
            coalesce(sum(c.documents) FILTER (
                WHERE c.state IN ('planned', 'detected', 'substituted', 'validated', 'superseded')
            ), 0)::bigint AS unfinished
        FROM counted AS c
    ),

    -- Of the superseded ones, those of which another interval has a version that counts.
    elsewhere AS (
        SELECT count(DISTINCT d.document_id) AS moved
        FROM runs AS w
        INNER JOIN deid.document AS d ON d.run_id = ANY(w.run_ids)
        CROSS JOIN LATERAL (
            SELECT count(*) AS versions, count(*) FILTER (WHERE o.run_id = ANY(w.run_ids)) AS here
            FROM deid.document AS o
            WHERE o.document_id = d.document_id AND o.state <> 'superseded'
        ) AS o
        WHERE
            d.state NOT IN ('staged', 'published', 'quarantined') AND d.state = 'superseded'
            AND o.versions > 0 AND o.here = 0
    ),

    released AS (
        SELECT
            (
                SELECT coalesce(sum(t.unread), 0)::bigint
                FROM deid.release AS y
                INNER JOIN deid.release_tally AS t ON y.release_id = t.release_id
                WHERE y.interval_key = $1 AND y.published_at IS NOT NULL
            ) AS unread,
            (
                SELECT coalesce(sum(t.former), 0)::bigint
                FROM deid.release AS y
                INNER JOIN deid.release_tally AS t ON y.release_id = t.release_id
                WHERE y.interval_key = $1
            ) AS former,
            (
                SELECT count(*)
                FROM deid.release AS y
                INNER JOIN deid.document AS o ON y.release_id = o.release_id
                WHERE y.interval_key = $1 AND y.published_at IS NULL AND o.state = 'published'
            ) AS unreleased,
            (
                SELECT coalesce(sum(g.documents), 0)::bigint
                FROM deid.removal_tally AS g
                INNER JOIN deid.release AS y ON g.release_id = y.release_id
                WHERE NOT g.applied AND y.interval_key = $1
            ) AS opted_out,
            (SELECT coalesce(sum(t.documents), 0)::bigint FROM tallied AS t WHERE t.state = 'published') AS versions
    ),

    held AS (
        SELECT
            h.documents,
            h.documents - least(h.documents, l.opted_out) AS in_force,
            greatest(l.versions - l.unreleased - l.opted_out, 0) AS published
        FROM states AS s
        CROSS JOIN released AS l
        CROSS JOIN LATERAL (SELECT greatest(s.published - l.unreleased, 0) AS documents) AS h
    )

    SELECT
        greatest(r.seen, s.documents) AS seen,
        h.in_force - least(h.in_force, l.unread) AS visible,
        least(h.in_force, l.unread) AS later,
        s.staged + s.published - h.documents AS waiting,
        s.quarantined,
        s.removed + h.documents - h.in_force AS removed,
        e.moved,
        s.unfinished - e.moved AS unfinished,
        greatest(r.seen - s.documents, 0) AS untaken,
        s.documents - s.unfinished AS treated,
        h.published,
        h.published - least(h.published, l.unread) + l.former AS readable,
        (SELECT max(w.rewritten_at) FROM deid.rewriting AS w) AS rewritten_at
    FROM states AS s
    CROSS JOIN released AS l
    CROSS JOIN held AS h
    CROSS JOIN elsewhere AS e
    CROSS JOIN runs AS r
$$;

-- Grain: some runs of one interval. Documents that are ready or published, and their mentions and ε: from the runs'
-- tallies, less what left since; document by document where several runs took the interval, or a document has moved to
-- another. Planned once for all intervals that are listed, as a plan takes longer than what it reads.
CREATE OR REPLACE FUNCTION deid.interval_sums(interval_key text, run_ids bigint[])
RETURNS TABLE (kept bigint, mentions bigint, epsilon float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan AS $$
    WITH way AS MATERIALIZED (
        SELECT
            count(*) FILTER (WHERE r.planned > 0) > 1
            OR sum(r.planned) <> coalesce((
                SELECT sum(t.documents) FROM deid.document_change AS t WHERE t.run_id = ANY($2)
            ), 0) AS one_by_one
        FROM deid.run AS r
        WHERE r.run_id = ANY($2)
    ),

    -- Documents that count, with sign: each of them, or those that the tallies still hold.
    documents AS MATERIALIZED (
        SELECT d.run_id, d.document_id, 1 AS sign
        FROM deid.counted_document AS d
        WHERE (SELECT w.one_by_one FROM way AS w) AND d.interval_key = $1 AND d.state IN ('staged', 'published')
        UNION ALL
        SELECT d.run_id, d.document_id, -1 AS sign
        FROM deid.document AS d
        WHERE
            NOT (SELECT w.one_by_one FROM way AS w)
            AND d.run_id = ANY($2) AND d.state NOT IN ('staged', 'published', 'quarantined')
            AND NOT EXISTS (
                SELECT FROM deid.quarantine AS q WHERE q.run_id = d.run_id AND q.document_id = d.document_id
            )
    ),

    singly AS (
        SELECT
            coalesce(sum(d.sign), 0)::bigint AS documents,
            coalesce(sum(d.sign * m.mentions), 0)::bigint AS mentions,
            coalesce(sum(d.sign * e.epsilon), 0) AS epsilon
        FROM documents AS d
        CROSS JOIN LATERAL (
            SELECT count(*) AS mentions
            FROM deid.mention AS t
            WHERE t.run_id = d.run_id AND t.document_id = d.document_id
        ) AS m
        CROSS JOIN LATERAL (
            SELECT sum(t.epsilon) AS epsilon
            FROM deid.budget AS t
            WHERE
                t.run_id = d.run_id AND t.document_id = d.document_id
                AND (d.sign > 0 OR EXISTS (SELECT FROM deid.spend_tally AS y WHERE y.run_id = ANY($2)))
        ) AS e
    )

    SELECT
        CASE WHEN w.one_by_one THEN s.documents ELSE (
            SELECT coalesce(sum(t.documents), 0)::bigint
            FROM deid.document_change AS t
            WHERE t.run_id = ANY($2) AND t.state IN ('staged', 'published')
        ) END AS kept,
        s.mentions + CASE WHEN w.one_by_one THEN 0 ELSE (
            SELECT coalesce(sum(t.mentions), 0)::bigint FROM deid.mention_count AS t WHERE t.run_id = ANY($2)
        ) END AS mentions,
        greatest(0, s.epsilon + CASE WHEN w.one_by_one THEN 0 ELSE (
            SELECT coalesce(sum(t.epsilon), 0) FROM deid.spend_tally AS t WHERE t.run_id = ANY($2)
        ) END) AS epsilon
    FROM way AS w
    CROSS JOIN singly AS s
$$;

-- Grain: one label or own type of the policy in one document type on one side. The table of mentions; `own` is what the
-- policy says of an own type. From the run's tally, less what left since, where one run holds all documents of one
-- side, and its policy has no own type; else from the mentions, in the order of their key.
CREATE OR REPLACE FUNCTION deid.report_mentions(text)
RETURNS TABLE (
    side text, document_type text, label text, own jsonb, mentions bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    WITH runs AS MATERIALIZED (
        SELECT
            array_agg(r.run_id) AS run_ids,
            count(*) FILTER (WHERE r.planned > 0) = 1
            AND bool_and(coalesce(p.content -> 'types', '{}') = '{}') AS tallied,
            sum(r.planned) AS planned
        FROM deid.run AS r
        LEFT JOIN deid.policy AS p ON r.policy_hash = p.policy_hash
        WHERE r.interval_key = $1 AND NOT r.dry_run
    ),

    way AS MATERIALIZED (
        SELECT w.run_ids, CASE
            WHEN NOT w.tallied OR w.planned <> s.documents OR NOT EXISTS (
                SELECT FROM deid.mention_tally AS t WHERE t.run_id = ANY(w.run_ids)
            ) THEN NULL
            WHEN s.published = 0 THEN 'proposed'
            WHEN s.staged = 0 AND NOT EXISTS (
                SELECT FROM deid.release AS y WHERE y.interval_key = $1 AND y.published_at IS NULL
            ) THEN 'held'
        END AS side
        FROM runs AS w
        CROSS JOIN LATERAL (
            SELECT
                coalesce(sum(t.documents), 0) AS documents,
                coalesce(sum(t.documents) FILTER (WHERE t.state = 'staged'), 0) AS staged,
                coalesce(sum(t.documents) FILTER (WHERE t.state = 'published'), 0) AS published
            FROM deid.document_change AS t
            WHERE t.run_id = ANY(w.run_ids)
        ) AS s
    ),

    shown AS MATERIALIZED (
        SELECT d.side, d.run_id, d.document_id, coalesce(d.document_type, '') AS document_type
        FROM deid.release_document AS d
        WHERE d.interval_key = $1 AND (SELECT w.side IS NULL FROM way AS w)
    ),

    kinds AS MATERIALIZED (
        SELECT m.run_id, m.document_id, m.label, m.subtype, count(*) AS mentions
        FROM deid.mention AS m
        WHERE m.run_id = ANY(ARRAY(SELECT DISTINCT s.run_id FROM shown AS s))
        GROUP BY m.run_id, m.document_id, m.label, m.subtype
    ),

    singly AS (
        SELECT s.side, s.document_type, s.run_id, k.label, k.subtype, sum(k.mentions) AS mentions
        FROM shown AS s
        INNER JOIN kinds AS k ON s.run_id = k.run_id AND s.document_id = k.document_id
        GROUP BY s.side, s.document_type, s.run_id, k.label, k.subtype
    ),

    counted AS (
        SELECT
            c.side,
            c.document_type,
            CASE WHEN p.content -> 'types' ? c.subtype THEN c.subtype ELSE c.label END AS label,
            CASE WHEN p.content -> 'types' ? c.subtype THEN jsonb_build_object(
                'label', c.label,
                'names', p.content #> ARRAY['types', c.subtype, 'names'],
                'provider', p.content #>> ARRAY['types', c.subtype, 'provider']
            ) END AS own,
            c.mentions
        FROM singly AS c
        INNER JOIN deid.run AS r ON c.run_id = r.run_id
        LEFT JOIN deid.policy AS p ON r.policy_hash = p.policy_hash
        UNION ALL
        SELECT w.side, t.document_type, t.label, NULL AS own, t.mentions
        FROM way AS w
        INNER JOIN deid.mention_tally AS t ON t.run_id = ANY(w.run_ids)
        WHERE w.side IS NOT NULL
        UNION ALL
        SELECT w.side, coalesce(d.document_type, '') AS document_type, m.label, NULL AS own, -count(*) AS mentions
        FROM way AS w
        INNER JOIN deid.document AS d ON d.run_id = ANY(w.run_ids)
        INNER JOIN deid.mention AS m ON d.run_id = m.run_id AND d.document_id = m.document_id
        WHERE
            w.side IS NOT NULL AND d.state NOT IN ('staged', 'published', 'quarantined')
            AND NOT EXISTS (
                SELECT FROM deid.quarantine AS q WHERE q.run_id = d.run_id AND q.document_id = d.document_id
            )
        GROUP BY 1, 2, 3
    )

    SELECT c.side, c.document_type, c.label, c.own, sum(c.mentions)::bigint AS mentions
    FROM counted AS c
    GROUP BY 1, 2, 3, 4
    HAVING sum(c.mentions) > 0
    ORDER BY 1, 2, 3
$$;

-- Grain: one interval that a run has worked on: where it stands, its runs, releases and last answer. How many documents
-- it holds is for deid.interval_balance. `corrected`: documents that took the place of another published version.
-- `withdrawn`: documents that its releases removed.
DROP VIEW deid.interval_state;
CREATE VIEW deid.interval_state AS
WITH worked AS (
    SELECT
        r.interval_key,
        min(r.interval_start) AS interval_start,
        max(r.interval_end) AS interval_end,
        array_agg(r.run_id ORDER BY r.run_id) AS run_ids,
        (array_agg(r.state ORDER BY r.run_id DESC))[1] AS last_state,
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
    w.planned,
    w.started_at,
    w.finished_at,
    p.published_at,
    CASE WHEN p.releases > 1 THEN (
        SELECT count(*)
        FROM deid.release AS y
        INNER JOIN deid.document AS o ON y.release_id = o.release_id
        WHERE
            y.interval_key = w.interval_key AND y.published_at IS NOT NULL AND o.state = 'published'
            AND EXISTS (
                SELECT FROM deid.document AS e
                WHERE e.document_id = o.document_id AND e.state = 'superseded' AND e.release_id < o.release_id
            )
    ) ELSE p.replaced END AS corrected,
    p.withdrawn,
    c.chosen,
    c.decided_by,
    c.decided_at,
    CASE
        WHEN d.at_work OR w.last_state = 'planned' THEN 'unfinished'
        -- in the middle of a release, which has ended with what it had written
        WHEN c.chosen = 'rework' AND c.decided_at >= w.staged_at AND c.decided_at >= p.published_at THEN 'rejected'
        WHEN NOT d.waiting AND (
            SELECT max(k.recalled_at) FROM deid.recall AS k WHERE k.interval_key = w.interval_key
        ) >= p.published_at THEN 'recalled'
        WHEN NOT d.waiting AND p.published_at IS NOT NULL THEN 'published'
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
        coalesce(bool_or(t.state IN ('planned', 'detected', 'substituted', 'validated')), false) AS at_work,
        coalesce(bool_or(t.state = 'staged'), false) AS waiting
    FROM (
        SELECT t.state
        FROM deid.document_change AS t
        WHERE NOT w.repeated AND t.run_id = ANY(w.run_ids)
        GROUP BY t.state
        HAVING sum(t.documents) > 0
        UNION ALL
        SELECT v.state
        FROM (
            SELECT DISTINCT ON (o.document_id) o.state
            FROM deid.document AS o
            WHERE w.repeated AND o.run_id = ANY(w.run_ids) AND o.state <> 'superseded'
            ORDER BY o.document_id, o.run_id DESC
        ) AS v
    ) AS t
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
LEFT JOIN LATERAL (
    SELECT z.chosen, z.decided_by, z.decided_at
    FROM deid.decision AS z
    WHERE z.interval_key = w.interval_key AND z.chosen <> 'proposed'
    ORDER BY z.decided_at DESC
    LIMIT 1
) AS c ON true;

REVOKE ALL ON FUNCTION deid.interval_balance(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.interval_balance(text) TO nocturne_publisher, nocturne_steward;
GRANT SELECT ON deid.interval_state TO nocturne_publisher, nocturne_steward;
