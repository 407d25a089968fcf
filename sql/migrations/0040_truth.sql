-- What an interval proposes and what research holds of it, kept apart: figures are of one or the other.

-- Grain: one document of one interval on one side. `proposed`: staged, in the version that counts. `held`: published by
-- a complete release of the interval, and neither corrected, withdrawn nor recalled since. A document is on both sides
-- while a new version waits.
CREATE VIEW deid.release_document WITH (security_invoker = true) AS
SELECT
    c.interval_key, 'proposed' AS side, c.document_id, c.run_id, c.patient_id, c.document_type, c.characters,
    c.constraints, c.agreement, c.file_format, c.removed
FROM deid.counted_document AS c
WHERE c.state = 'staged'
UNION ALL
SELECT
    r.interval_key, 'held' AS side, d.document_id, d.run_id, d.patient_id, d.document_type, d.characters,
    d.constraints, d.agreement, d.file_format, d.removed
FROM deid.release AS r
INNER JOIN deid.document AS d ON r.release_id = d.release_id
WHERE r.published_at IS NOT NULL AND d.state = 'published';
GRANT SELECT ON deid.release_document TO nocturne_publisher, nocturne_steward;

-- Which rows of a release nobody can read yet: few, and counted at each look at the list.
CREATE INDEX published_document_unread ON deid.published_document (release_id) WHERE visible_from IS NULL;

-- Take all that the complete releases of an interval published out of research. Null, and nothing done, while a
-- publication or a rewriting is under way, or if the releases are no longer those that the person was shown. Between
-- a change of key and the next rewriting, former texts without a row of theirs leave too: no release is known of them.
-- The texts of reviews of what was recalled are erased: nobody reads on what was judged unfit to be read.
CREATE OR REPLACE FUNCTION deid.recall_interval(recalled text, shown bigint[], who text, why text) RETURNS bigint
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
    UPDATE deid.review_document AS v
    SET text = NULL, spans = NULL, erased_at = now(), erased_for = 'recall'
    FROM deid.document AS d
    WHERE
        d.release_id = ANY(shown) AND v.run_id = d.run_id AND v.document_id = d.document_id AND v.text IS NOT NULL;
    RETURN made;
END
$$;
