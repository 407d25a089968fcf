-- name: asked
-- Grain: one document that is to be done again although the interval may not list it. Purpose: those that a person
-- wants done again and no run has taken up, and those that a dead run of the interval has left, with the time at which
-- the source had brought them.
SELECT c.document_id, max(d.ingested_at) AS ingested_at
FROM deid.quarantine_choice AS c
INNER JOIN deid.run AS r ON c.run_id = r.run_id
INNER JOIN deid.document AS d ON c.document_id = d.document_id AND c.content_hash = d.content_hash
WHERE c.used_by_run IS NULL AND c.undone_at IS NULL AND c.choice <> 'discard' AND r.source = %(source)s
GROUP BY c.document_id
UNION ALL
SELECT d.document_id, max(d.ingested_at) AS ingested_at
FROM deid.document AS d
INNER JOIN deid.run AS r ON d.run_id = r.run_id
WHERE
    r.interval_key = %(interval_key)s AND r.source = %(source)s AND NOT r.dry_run
    AND d.state IN ('planned', 'detected', 'substituted', 'validated')
    AND (r.state <> 'planned' OR deid.run_is_dead(r.active_at, r.taken_over_at, %(abandoned_after_s)s))
GROUP BY d.document_id;

-- name: insert
-- Grain: one choice on one quarantined document version. Purpose: write it, unless somebody was first: then no row is
-- given back. `characters`: length of the text that marks lie in, null where none was searched.
INSERT INTO deid.quarantine_choice (
    run_id, document_id, content_hash, reason, choice, chosen_by, justification, waived, pipeline_version,
    marks, characters, read_mentions
)
SELECT
    q.run_id, q.document_id, q.content_hash, q.reason, %(choice)s, %(chosen_by)s, %(justification)s,
    %(waived)s::jsonb, r.pipeline_version, %(marks)s::jsonb, d.characters,
    CASE WHEN %(read)s THEN (
        SELECT count(*) FROM deid.shown_mentions(q.run_id, ARRAY[q.document_id])
    ) END
FROM deid.quarantine AS q
INNER JOIN deid.run AS r ON q.run_id = r.run_id
LEFT JOIN deid.shown_document AS d
    ON q.run_id = d.run_id AND q.document_id = d.document_id AND q.content_hash = d.content_hash
WHERE q.run_id = %(run_id)s AND q.document_id = %(document_id)s AND q.content_hash = %(content_hash)s
RETURNING choice_id, characters;

-- name: let_through
-- Grain: one document of one side that passed because a person waived a check. Purpose: which checks, and
-- who waived them, where and why.
SELECT
    d.side,
    d.document_id,
    array_agg(v.check_name ORDER BY v.check_name) AS checks,
    c.run_id,
    c.chosen_by,
    c.justification
FROM deid.release_document AS d
INNER JOIN deid.waived_check AS v ON d.run_id = v.run_id AND d.document_id = v.document_id
CROSS JOIN LATERAL (
    SELECT q.run_id, q.chosen_by, q.justification
    FROM deid.quarantine_choice AS q
    WHERE q.document_id = d.document_id AND q.choice = 'release' AND q.undone_at IS NULL AND q.run_id <= d.run_id
    ORDER BY q.choice_id DESC
    LIMIT 1
) AS c
WHERE d.interval_key = %(interval_key)s
GROUP BY d.side, d.document_id, c.run_id, c.chosen_by, c.justification
ORDER BY d.side DESC, d.document_id
LIMIT %(most)s;

-- name: marks
-- Grain: one choice with marks on one version of a document. Purpose: the passages that detection missed by a person,
-- and the length of the text that they lie in; the latest choice first.
SELECT c.document_id, c.content_hash, c.characters, c.marks
FROM deid.quarantine_choice AS c
WHERE c.document_id = ANY(%(document_ids)s) AND c.undone_at IS NULL AND c.marks <> '[]'
ORDER BY c.choice_id DESC;

-- name: undo
-- Grain: one choice that no run has used. Purpose: take it back; the document waits again.
UPDATE deid.quarantine_choice AS c
SET undone_by = %(undone_by)s, undone_at = now()
FROM deid.quarantine AS q
WHERE
    c.run_id = %(run_id)s AND c.document_id = %(document_id)s AND c.undone_at IS NULL AND c.used_by_run IS NULL
    AND q.run_id = c.run_id AND q.document_id = c.document_id AND q.content_hash = c.content_hash
    AND q.standing = c.choice
RETURNING c.choice_id, c.choice, c.content_hash;

-- name: use
-- Grain: one choice. Purpose: this run has taken the document up, or has learnt that the source no longer has it.
UPDATE deid.quarantine_choice AS c
SET used_by_run = %(run_id)s
WHERE
    c.used_by_run IS NULL AND c.undone_at IS NULL AND c.choice <> 'discard'
    AND (
        c.document_id = ANY(%(gone)s::text[])
        OR EXISTS (SELECT FROM new_document AS n WHERE n.document_id = c.document_id)
    );

-- name: waivers
-- Grain: one release by a person, of one version of a document of a run. Purpose: what it waives, if the pipeline is
-- still the one under which it was judged.
SELECT c.document_id, c.content_hash, c.waived
FROM deid.quarantine_choice AS c
INNER JOIN deid.run AS r ON c.pipeline_version = r.pipeline_version
WHERE
    r.run_id = %(run_id)s AND c.document_id = ANY(%(document_ids)s) AND c.choice = 'release' AND c.undone_at IS NULL;
