-- Pages look up no document of the past: tallies keep what left them.

-- What the tallies of a staged run hold of a document that left it since, and that no step held back.
CREATE FUNCTION deid.left_sums(run_id bigint, document_id text, state text)
RETURNS TABLE (mentions bigint, epsilon float8)
LANGUAGE sql STABLE AS $$
    SELECT
        (SELECT count(*) FROM deid.mention AS m WHERE m.run_id = $1 AND m.document_id = $2) AS mentions,
        (SELECT sum(b.epsilon) FROM deid.budget AS b WHERE b.run_id = $1 AND b.document_id = $2) AS epsilon
    WHERE
        $3 IN ('superseded', 'withdrawn', 'recalled')
        AND NOT EXISTS (SELECT FROM deid.quarantine AS q WHERE q.run_id = $1 AND q.document_id = $2)
$$;

-- Beside the documents of a state, the mentions and ε of those that left: pages look up no document of the past.
ALTER TABLE deid.document_change
ADD COLUMN mentions bigint NOT NULL DEFAULT 0,
ADD COLUMN epsilon float8 NOT NULL DEFAULT 0;
INSERT INTO deid.document_change
SELECT d.run_id, coalesce(d.document_type, ''), d.state, 0, sum(l.mentions), coalesce(sum(l.epsilon), 0)
FROM deid.document AS d
CROSS JOIN LATERAL deid.left_sums(d.run_id, d.document_id, d.state) AS l
GROUP BY 1, 2, 3;

CREATE OR REPLACE FUNCTION deid.tally_documents() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    IF TG_OP IN ('UPDATE', 'DELETE') THEN
        INSERT INTO deid.document_change
        SELECT
            o.run_id, coalesce(o.document_type, ''), o.state, -count(*), -coalesce(sum(l.mentions), 0),
            -coalesce(sum(l.epsilon), 0)
        FROM old_rows AS o
        LEFT JOIN LATERAL deid.left_sums(o.run_id, o.document_id, o.state) AS l ON true
        GROUP BY 1, 2, 3;
    END IF;
    IF TG_OP IN ('UPDATE', 'INSERT') THEN
        INSERT INTO deid.document_change
        SELECT
            n.run_id, coalesce(n.document_type, ''), n.state, count(*), coalesce(sum(l.mentions), 0),
            coalesce(sum(l.epsilon), 0)
        FROM new_rows AS n
        LEFT JOIN LATERAL deid.left_sums(n.run_id, n.document_id, n.state) AS l ON true
        GROUP BY 1, 2, 3;
    END IF;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION deid.sum_changes(run bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
    WITH gone AS (DELETE FROM deid.document_change AS c WHERE c.run_id = run RETURNING c.*)
    INSERT INTO deid.document_change
    SELECT g.run_id, g.document_type, g.state, sum(g.documents), sum(g.mentions), sum(g.epsilon)
    FROM gone AS g
    GROUP BY 1, 2, 3
    HAVING sum(g.documents) <> 0
$$;

-- What left some runs is read from the index alone.
DROP INDEX deid.document_apart;
CREATE INDEX document_apart ON deid.document (run_id) INCLUDE (document_id, state)
WHERE state NOT IN ('staged', 'published', 'quarantined');

-- Which waiting documents disagree is read from what they hold, before each of them is summed up.
CREATE OR REPLACE VIEW deid.waiting_disagreement AS
SELECT d.interval_key, d.document_id, deid.disagreements(d.agreement) AS disagreements
FROM deid.counted_document AS d
WHERE d.state = 'staged' AND d.agreement @? '$.*[1] ? (@ > 0)';

-- Grain: some runs of one interval. Documents that are ready or published, and their mentions and ε: from the runs'
-- tallies, less what left since; document by document where several runs took the interval, or a document has moved to
-- another. Planned once for all intervals that are listed, as a plan takes longer than what it reads.
CREATE OR REPLACE FUNCTION deid.interval_sums(interval_key text, run_ids bigint[])
RETURNS TABLE (kept bigint, mentions bigint, epsilon float8)
LANGUAGE sql STABLE ROWS 1 SECURITY DEFINER SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan AS $$
    WITH tallied AS MATERIALIZED (
        SELECT
            coalesce(sum(t.documents), 0) AS documents,
            coalesce(sum(t.documents) FILTER (WHERE t.state IN ('staged', 'published')), 0)::bigint AS kept,
            coalesce(sum(t.documents) FILTER (
                WHERE t.state IN ('planned', 'detected', 'substituted', 'validated')
            ), 0) AS unfinished,
            coalesce(sum(t.mentions), 0)::bigint AS mentions,
            coalesce(sum(t.epsilon), 0) AS epsilon
        FROM deid.document_change AS t
        WHERE t.run_id = ANY($2)
    ),

    way AS MATERIALIZED (
        SELECT count(*) FILTER (WHERE r.planned > 0) > 1 OR sum(r.planned) <> max(t.documents) AS one_by_one
        FROM deid.run AS r
        CROSS JOIN tallied AS t
        WHERE r.run_id = ANY($2)
    ),

    -- Documents that count, with sign: each of them, or those at work, which the tallies hold.
    documents AS MATERIALIZED (
        SELECT d.run_id, d.document_id, 1 AS sign
        FROM deid.counted_document AS d
        WHERE (SELECT w.one_by_one FROM way AS w) AND d.interval_key = $1 AND d.state IN ('staged', 'published')
        UNION ALL
        SELECT d.run_id, d.document_id, -1 AS sign
        FROM deid.document AS d
        WHERE
            NOT (SELECT w.one_by_one FROM way AS w) AND (SELECT t.unfinished > 0 FROM tallied AS t)
            AND d.run_id = ANY($2) AND d.state NOT IN ('staged', 'published', 'quarantined')
            AND d.state NOT IN ('superseded', 'withdrawn', 'recalled')
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
        CASE WHEN w.one_by_one THEN s.documents ELSE t.kept END AS kept,
        s.mentions + CASE WHEN w.one_by_one THEN 0 ELSE (
            SELECT coalesce(sum(c.mentions), 0)::bigint FROM deid.mention_count AS c WHERE c.run_id = ANY($2)
        ) - t.mentions END AS mentions,
        greatest(0, s.epsilon + CASE WHEN w.one_by_one THEN 0 ELSE (
            SELECT coalesce(sum(y.epsilon) - t.epsilon, 0) FROM deid.spend_tally AS y WHERE y.run_id = ANY($2)
        ) END) AS epsilon
    FROM way AS w
    CROSS JOIN tallied AS t
    CROSS JOIN singly AS s
$$;

-- One row each, which the planner took for a thousand.
ALTER FUNCTION deid.interval_balance(text) ROWS 1;

REVOKE ALL ON FUNCTION deid.left_sums(bigint, text, text) FROM PUBLIC;
