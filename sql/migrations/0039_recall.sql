-- Recall: one decision takes what the releases of an interval published out of research. And the list of documents that
-- researchers read once and no longer do, so that copies can be purged.

-- `recalled`: published, and taken out of research by a recall. A night does not take the same content up again.
ALTER TABLE deid.document
DROP CONSTRAINT document_state_check,
ADD CONSTRAINT document_state_check CHECK (state IN (
    'planned', 'detected', 'substituted', 'validated', 'quarantined', 'staged', 'published', 'superseded',
    'withdrawn', 'recalled'
));

-- The release of the version that researchers read until the next rewriting shows this one.
ALTER TABLE deid.published_document ADD COLUMN former_release_id bigint;
CREATE INDEX published_document_former_release ON deid.published_document (former_release_id)
WHERE former_release_id IS NOT NULL;
GRANT SELECT (document_id, former_release_id) ON deid.published_document TO nocturne_steward;

-- Grain: one recall of the complete releases of an interval.
CREATE TABLE deid.recall (
    recall_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    interval_key text NOT NULL,
    release_ids bigint[] NOT NULL,
    recalled_by text NOT NULL,
    reason text NOT NULL,
    recalled_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX recall_interval ON deid.recall (interval_key);

-- Grain: one document that a recall took out of research, by its published id. `was_read`: researchers could read it.
CREATE TABLE deid.recalled_document (
    recall_id bigint NOT NULL REFERENCES deid.recall,
    document_id text NOT NULL,
    document_type text NOT NULL,
    was_read boolean NOT NULL,
    PRIMARY KEY (recall_id, document_id)
);
GRANT SELECT ON deid.recall, deid.recalled_document TO nocturne_publisher, nocturne_steward;

-- Grain: one published id that researchers could read and whose row was removed; the month, never the night.
CREATE TABLE deid.removed_document (
    document_id text PRIMARY KEY,
    removed_in text NOT NULL
);

CREATE FUNCTION deid.list_removed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    INSERT INTO deid.removed_document AS r (document_id, removed_in)
    SELECT o.document_id, to_char(now() AT TIME ZONE 'Europe/Paris', 'YYYY-MM')
    FROM old_rows AS o
    WHERE o.visible_from IS NOT NULL OR o.former_release_id IS NOT NULL
    ORDER BY o.document_id COLLATE "C"
    ON CONFLICT (document_id) DO UPDATE SET removed_in = excluded.removed_in;
    RETURN NULL;
END
$$;
CREATE TRIGGER removed AFTER DELETE ON deid.published_document
REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION deid.list_removed();

-- Not of the reader's own rights: researchers read nothing of schema deid. In the order of keyed ids, so that its rows
-- do not tell which documents left together.
CREATE VIEW research.withdrawn_document AS
SELECT r.document_id, r.removed_in AS withdrawn_in
FROM deid.removed_document AS r
WHERE NOT EXISTS (SELECT FROM research.document AS d WHERE d.document_id = r.document_id)
ORDER BY r.document_id COLLATE "C";
COMMENT ON VIEW research.withdrawn_document IS
'Documents that could be read once and were withdrawn: purge every copy of them.';
COMMENT ON COLUMN research.withdrawn_document.document_id IS 'Identifier that the document had in research.document.';
COMMENT ON COLUMN research.withdrawn_document.withdrawn_in IS 'Month of the withdrawal, such as 2026-10.';
GRANT SELECT ON research.withdrawn_document TO nocturne_publisher, nocturne_steward, researcher;

-- Take all that the complete releases of an interval published out of research. Null, and nothing done, while a
-- publication or a rewriting is under way, or if the releases are no longer those that the person was shown. Between
-- a change of key and the next rewriting, former texts without a row of theirs leave too: no release is known of them.
CREATE FUNCTION deid.recall_interval(recalled text, shown bigint[], who text, why text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    made bigint;
BEGIN
    IF NOT deid.try_lock_publication() THEN
        RETURN NULL;
    END IF;
    PERFORM deid.share_opt_outs();
    IF cardinality(shown) = 0 OR shown IS DISTINCT FROM (
        SELECT array_agg(r.release_id ORDER BY r.release_id)
        FROM deid.release AS r
        WHERE r.interval_key = recalled AND r.published_at IS NOT NULL
    ) THEN
        RETURN NULL;
    END IF;
    INSERT INTO deid.recall (interval_key, release_ids, recalled_by, reason)
    VALUES (recalled, shown, who, why)
    RETURNING recall_id INTO made;
    WITH orphans AS (
        DELETE FROM research.document AS d
        WHERE NOT EXISTS (SELECT FROM deid.published_document AS p WHERE p.document_id = d.document_id)
        RETURNING d.document_id, d.document_type
    ),

    gone AS (
        DELETE FROM deid.published_document AS p
        WHERE p.release_id = ANY(shown)
        RETURNING
            p.document_id, p.document_type, p.visible_from IS NOT NULL OR p.former_release_id IS NOT NULL AS was_read
    ),

    corrected AS (
        UPDATE deid.published_document AS p SET former_release_id = NULL
        WHERE p.former_release_id = ANY(shown) AND p.release_id <> ALL(shown)
        RETURNING p.document_id, p.document_type
    ),

    taken AS (
        SELECT g.document_id, g.document_type, g.was_read FROM gone AS g
        UNION ALL
        SELECT c.document_id, c.document_type, true FROM corrected AS c
        UNION ALL
        SELECT o.document_id, o.document_type, true FROM orphans AS o
    ),

    unread AS (
        DELETE FROM research.document AS d USING taken AS t WHERE d.document_id = t.document_id AND t.was_read
    )

    INSERT INTO deid.recalled_document (recall_id, document_id, document_type, was_read)
    SELECT made, t.document_id, coalesce(t.document_type, ''), t.was_read
    FROM taken AS t
    ORDER BY t.document_id COLLATE "C";
    UPDATE deid.document AS d
    SET state = 'recalled', updated_at = now()
    WHERE d.release_id = ANY(shown) AND d.state = 'published';
    RETURN made;
END
$$;
REVOKE ALL ON FUNCTION deid.recall_interval(text, bigint[], text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.recall_interval(text, bigint[], text, text) TO nocturne_steward;

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
    greatest(n.published - n.unreleased - n.opted_out, 0)::bigint AS published,
    CASE WHEN p.releases > 1 THEN n.replacing ELSE p.replaced END AS corrected,
    p.withdrawn,
    c.chosen,
    c.decided_by,
    c.decided_at,
    CASE
        WHEN d.unfinished > 0 OR w.last_state = 'planned' THEN 'unfinished'
        -- in the middle of a release, which has ended with what it had written
        WHEN c.chosen = 'rework' AND c.decided_at >= w.staged_at AND c.decided_at >= p.published_at THEN 'rejected'
        WHEN d.waiting = 0 AND (
            SELECT max(k.recalled_at) FROM deid.recall AS k WHERE k.interval_key = w.interval_key
        ) >= p.published_at THEN 'recalled'
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
