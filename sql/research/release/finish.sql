-- Grain: one release. Purpose: count what it did, and show it to researchers.
UPDATE research.release AS r
SET
    published_at = now(),
    counts = (
        SELECT jsonb_build_object(
            'published', count(*) FILTER (WHERE d.state = 'published'),
            'replaced', count(*) FILTER (WHERE d.state = 'published' AND EXISTS (
                SELECT FROM deid.document AS o
                WHERE o.document_id = d.document_id AND o.state = 'superseded' AND o.release_id < r.release_id
            )),
            'withdrawn', coalesce((r.counts ->> 'withdrawn')::int, 0)
        )
        FROM deid.document AS d
        WHERE d.release_id = r.release_id
    )
WHERE
    r.release_id = %(release_id)s
    AND NOT EXISTS (SELECT FROM deid.document AS d WHERE d.release_id = r.release_id AND d.state = 'staged')
RETURNING r.run_ids[cardinality(r.run_ids)] AS run_id, (r.counts ->> 'published')::int AS documents
