-- The sums of an interval close, and its means are over the documents that they are of.

-- What is held back is in no mean: neither its mentions and ε, nor the document.
UPDATE deid.mention_tally AS t
SET mentions = t.mentions - h.mentions
FROM (
    SELECT m.run_id, coalesce(d.document_type, '') AS document_type, m.label, count(*) AS mentions
    FROM deid.mention AS m
    INNER JOIN deid.document AS d ON m.document_id = d.document_id AND m.run_id = d.run_id
    WHERE EXISTS (SELECT FROM deid.quarantine AS q WHERE q.run_id = m.run_id AND q.document_id = m.document_id)
    GROUP BY 1, 2, 3
) AS h
WHERE (t.run_id, t.document_type, t.label) = (h.run_id, h.document_type, h.label);
UPDATE deid.spend_tally AS t
SET documents = t.documents - h.documents, elements = t.elements - h.elements, epsilon = t.epsilon - h.epsilon
FROM (
    SELECT
        b.run_id, b.category, b.mechanism, count(DISTINCT b.document_id) AS documents, sum(b.elements) AS elements,
        sum(b.epsilon) AS epsilon
    FROM deid.budget AS b
    WHERE EXISTS (SELECT FROM deid.quarantine AS q WHERE q.run_id = b.run_id AND q.document_id = b.document_id)
    GROUP BY 1, 2, 3
) AS h
WHERE (t.run_id, t.category, t.mechanism) = (h.run_id, h.category, h.mechanism);

-- Grain: one label in one type of document of a run, without the documents that a step held back. Tallied once the run
-- is staged, counted until then.
CREATE OR REPLACE VIEW deid.mention_count AS
SELECT t.run_id, t.document_type, t.label, t.mentions FROM deid.mention_tally AS t
UNION ALL
SELECT m.run_id, coalesce(d.document_type, '') AS document_type, m.label, count(*) AS mentions
FROM deid.mention AS m
INNER JOIN deid.document AS d ON m.document_id = d.document_id AND m.run_id = d.run_id
WHERE
    m.run_id IN (
        SELECT r.run_id FROM deid.run AS r
        WHERE NOT EXISTS (SELECT FROM deid.mention_tally AS t WHERE t.run_id = r.run_id)
    )
    AND NOT EXISTS (SELECT FROM deid.quarantine AS q WHERE q.run_id = m.run_id AND q.document_id = m.document_id)
GROUP BY 1, 2, 3;

-- What the tallies of a run hold and figures do not count.
CREATE INDEX document_apart ON deid.document (run_id) WHERE state NOT IN ('staged', 'published', 'quarantined');
DROP INDEX deid.document_superseded;

-- Grain: some runs of one interval. Documents that are ready or published, and their mentions and ε: from the runs'
-- tallies, less what left since; document by document where several runs took the interval, or a document has moved to
-- another.
DROP FUNCTION deid.interval_sums(text, bigint[]);
CREATE FUNCTION deid.interval_sums(interval_key text, run_ids bigint[])
RETURNS TABLE (kept bigint, mentions bigint, epsilon float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT c.kept, m.mentions, e.epsilon
    FROM (SELECT $1 AS interval_key, $2 AS run_ids) AS s
    CROSS JOIN LATERAL (
        SELECT
            count(*) FILTER (WHERE r.planned > 0) > 1
            OR sum(r.planned) <> coalesce((
                SELECT sum(t.documents) FROM deid.document_change AS t WHERE t.run_id = ANY(s.run_ids)
            ), 0) AS one_by_one
        FROM deid.run AS r
        WHERE r.run_id = ANY(s.run_ids)
    ) AS h
    CROSS JOIN LATERAL (
        SELECT CASE WHEN h.one_by_one THEN (
            SELECT count(*)
            FROM deid.counted_document AS d
            WHERE d.interval_key = s.interval_key AND d.state IN ('staged', 'published')
        ) ELSE (
            SELECT coalesce(sum(t.documents), 0)::bigint
            FROM deid.document_change AS t
            WHERE t.run_id = ANY(s.run_ids) AND t.state IN ('staged', 'published')
        ) END AS kept
    ) AS c
    CROSS JOIN LATERAL (
        SELECT CASE WHEN h.one_by_one THEN (
            SELECT count(*)
            FROM deid.counted_document AS d
            INNER JOIN deid.mention AS t ON d.run_id = t.run_id AND d.document_id = t.document_id
            WHERE d.interval_key = s.interval_key AND d.state IN ('staged', 'published')
        ) ELSE (
            SELECT coalesce(sum(t.mentions), 0)::bigint
            FROM deid.mention_count AS t
            WHERE t.run_id = ANY(s.run_ids)
        ) - (
            SELECT count(*)
            FROM deid.document AS d
            INNER JOIN deid.mention AS t ON d.run_id = t.run_id AND d.document_id = t.document_id
            WHERE
                d.run_id = ANY(s.run_ids) AND d.state NOT IN ('staged', 'published', 'quarantined')
                AND NOT EXISTS (
                    SELECT FROM deid.quarantine AS q WHERE q.run_id = d.run_id AND q.document_id = d.document_id
                )
        ) END AS mentions
    ) AS m
    CROSS JOIN LATERAL (
        SELECT CASE WHEN h.one_by_one THEN (
            SELECT coalesce(sum(t.epsilon), 0)
            FROM deid.counted_document AS d
            INNER JOIN deid.budget AS t ON d.run_id = t.run_id AND d.document_id = t.document_id
            WHERE d.interval_key = s.interval_key AND d.state IN ('staged', 'published')
        ) ELSE greatest(0, (
            SELECT coalesce(sum(t.epsilon), 0) FROM deid.spend_tally AS t WHERE t.run_id = ANY(s.run_ids)
        ) - (
            SELECT coalesce(sum(t.epsilon), 0)
            FROM deid.document AS d
            INNER JOIN deid.budget AS t ON d.run_id = t.run_id AND d.document_id = t.document_id
            WHERE
                d.run_id = ANY(s.run_ids) AND d.state NOT IN ('staged', 'published', 'quarantined')
                AND NOT EXISTS (
                    SELECT FROM deid.quarantine AS q WHERE q.run_id = d.run_id AND q.document_id = d.document_id
                )
                AND EXISTS (SELECT FROM deid.spend_tally AS y WHERE y.run_id = d.run_id)
        )) END AS epsilon
    ) AS e
$$;

-- Grain: one interval. What became of the documents that its runs saw, each counted once; the parts add up to `seen`.
-- `visible`: published, and read; `later`: published, and read from the next rewriting on; `waiting`: ready, or in a
-- release that is under way; `removed`: withdrawn, recalled, or of a patient whose opt-out the ledger has yet to apply;
-- `moved`: corrected since by another interval; `unfinished`: at work, or sent back; `untaken`: known already, taken up
-- by another interval, discarded, of a patient who opted out, or outside of the filters. `rewritten_at`: when
-- researchers were last given what is published.
CREATE FUNCTION deid.interval_balance(interval_key text)
RETURNS TABLE (
    seen bigint, visible bigint, later bigint, waiting bigint, quarantined bigint, removed bigint, moved bigint,
    unfinished bigint, untaken bigint, rewritten_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    WITH taken AS MATERIALIZED (
        SELECT DISTINCT ON (d.document_id) d.document_id, d.run_id, d.state
        FROM deid.document AS d
        INNER JOIN deid.run AS r ON d.run_id = r.run_id
        WHERE r.interval_key = $1 AND NOT r.dry_run
        ORDER BY d.document_id, d.state = 'superseded', d.run_id DESC
    ),

    runs AS (
        SELECT coalesce(max(r.seen), 0) AS seen FROM deid.run AS r WHERE r.interval_key = $1 AND NOT r.dry_run
    ),

    released AS (
        SELECT coalesce(sum(t.unread), 0) AS unread
        FROM deid.release AS y
        INNER JOIN deid.release_tally AS t ON y.release_id = t.release_id
        WHERE y.interval_key = $1 AND y.published_at IS NOT NULL
    ),

    gone AS (
        SELECT coalesce(sum(g.documents), 0)::bigint AS opted_out
        FROM deid.removal_tally AS g
        INNER JOIN deid.release AS y ON g.release_id = y.release_id
        WHERE NOT g.applied AND y.interval_key = $1
    ),

    states AS (
        SELECT
            count(*) AS documents,
            count(h.document_id) AS held,
            count(*) FILTER (WHERE t.state IN ('staged', 'published')) - count(h.document_id) AS waiting,
            count(*) FILTER (WHERE t.state = 'quarantined') AS quarantined,
            count(*) FILTER (WHERE t.state IN ('withdrawn', 'recalled')) AS removed,
            count(*) FILTER (WHERE t.state = 'superseded' AND EXISTS (
                SELECT FROM deid.document AS o WHERE o.document_id = t.document_id AND o.state <> 'superseded'
            )) AS moved,
            count(*) FILTER (WHERE t.state IN ('planned', 'detected', 'substituted', 'validated', 'superseded'))
            AS unfinished
        FROM taken AS t
        LEFT JOIN deid.release_document AS h
            ON
                h.interval_key = $1 AND h.side = 'held' AND t.state = 'published'
                AND t.run_id = h.run_id AND t.document_id = h.document_id
    ),

    shown AS (
        SELECT s.held - least(s.held, g.opted_out) AS in_force, least(s.held, g.opted_out) AS opted_out
        FROM states AS s
        CROSS JOIN gone AS g
    )

    SELECT
        greatest(r.seen, s.documents) AS seen,
        f.in_force - least(f.in_force, l.unread) AS visible,
        least(f.in_force, l.unread)::bigint AS later,
        s.waiting,
        s.quarantined,
        s.removed + f.opted_out AS removed,
        s.moved,
        s.unfinished - s.moved AS unfinished,
        greatest(r.seen - s.documents, 0) AS untaken,
        (SELECT max(w.rewritten_at) FROM deid.rewriting AS w) AS rewritten_at
    FROM states AS s
    CROSS JOIN shown AS f
    CROSS JOIN released AS l
    CROSS JOIN runs AS r
$$;

REVOKE ALL ON FUNCTION deid.interval_sums(text, bigint[]), deid.interval_balance(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.interval_sums(text, bigint[]), deid.interval_balance(text)
TO nocturne_publisher, nocturne_steward;
