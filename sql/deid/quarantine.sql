-- name: former
-- Grain: one published version of a document of which a later run holds back a correction. Purpose: what researchers
-- still read: its run, the release that brought it, and whether it is to leave at the next publication.
SELECT
    d.run_id,
    r.interval_key,
    EXISTS (
        SELECT FROM deid.withdrawal AS w WHERE w.document_id = d.document_id AND w.run_id >= d.run_id
    ) AS leaves
FROM deid.document AS d
INNER JOIN deid.run AS r ON d.run_id = r.run_id
WHERE d.document_id = %(document_id)s AND d.state = 'published' AND d.run_id < %(run_id)s;

-- name: history
-- Grain: one thing that happened to a document, in any version: it was planned, quarantined, chosen for, taken back.
-- Purpose: its history, oldest first.
SELECT s.at, s.kind, s.run_id, s.interval_key, s.content_hash, s.what, s.who, s.why, s.marks
FROM (
    SELECT
        d.updated_at AS at, 'state' AS kind, d.run_id, r.interval_key, d.content_hash, d.state AS what, '' AS who,
        d.pipeline_version AS why, 0 AS marks
    FROM deid.document AS d
    INNER JOIN deid.run AS r ON d.run_id = r.run_id
    WHERE d.document_id = %(document_id)s AND d.state <> 'quarantined'
    UNION ALL
    SELECT q.at, 'quarantine', q.run_id, q.interval_key, q.content_hash, q.reason, '', q.step, 0
    FROM deid.quarantine AS q
    WHERE q.document_id = %(document_id)s
    UNION ALL
    SELECT
        c.chosen_at, 'choice', c.run_id, '', c.content_hash, c.choice, c.chosen_by, c.justification,
        jsonb_array_length(c.marks)
    FROM deid.quarantine_choice AS c
    WHERE c.document_id = %(document_id)s
    UNION ALL
    SELECT c.undone_at, 'undone', c.run_id, '', c.content_hash, c.choice, coalesce(c.undone_by, ''), '', 0
    FROM deid.quarantine_choice AS c
    WHERE c.document_id = %(document_id)s AND c.undone_at IS NOT NULL
) AS s
ORDER BY s.at, s.kind DESC;

-- name: insert
-- Grain: one refused document version. Purpose: the step and the reason, never the text.
INSERT INTO deid.quarantine (run_id, document_id, content_hash, step, reason)
SELECT %(run_id)s, o.document_id, o.content_hash, %(step)s, i.reason
FROM incoming_quarantine AS i
INNER JOIN owned AS o ON i.document_id = o.document_id
ORDER BY o.document_id
ON CONFLICT (run_id, document_id, content_hash) DO UPDATE
SET step = excluded.step, reason = excluded.reason, at = now();

-- name: of_interval
-- Grain: one document version that an interval holds back. Purpose: its id under its reason, at most `most` per reason.
WITH held AS (
    SELECT q.reason, q.run_id, q.document_id, row_number() OVER (PARTITION BY q.reason ORDER BY q.document_id) AS place
    FROM deid.quarantine AS q
    INNER JOIN deid.counted_document AS d
        ON q.run_id = d.run_id AND q.document_id = d.document_id AND q.content_hash = d.content_hash
    WHERE d.interval_key = %(interval_key)s AND d.state = 'quarantined'
)

SELECT h.reason, h.run_id, h.document_id FROM held AS h WHERE h.place <= %(most)s ORDER BY h.reason, h.document_id;

-- name: one
-- Grain: one quarantined document version. Purpose: its facts, with the choice in force.
SELECT
    run_id, document_id, content_hash, step, reason, at, interval_key, document_type, standing,
    choice_id, choice, chosen_by, chosen_at, justification
FROM deid.quarantine_desk
WHERE run_id = %(run_id)s AND document_id = %(document_id)s
ORDER BY at DESC
LIMIT 1;

-- name: page
-- Grain: one quarantined document version. Purpose: a page of them, the newest first, after the last one shown,
-- with the choice in force.
SELECT
    q.run_id, q.document_id, q.content_hash, q.step, q.reason, q.at, q.interval_key, q.document_type, q.standing,
    q.choice_id, q.choice, q.chosen_by, q.chosen_at, q.justification
FROM deid.quarantine_desk AS q
WHERE
    q.standing = %(standing)s
    AND (%(reason)s::text IS NULL OR q.reason = %(reason)s)
    AND (%(step)s::text IS NULL OR q.step = %(step)s)
    AND (%(document_type)s::text IS NULL OR q.document_type = %(document_type)s)
    AND (%(interval_key)s::text IS NULL OR q.interval_key = %(interval_key)s)
    AND (%(since)s::timestamptz IS NULL OR q.at >= %(since)s)
    AND (%(before)s::timestamptz IS NULL OR q.at < %(before)s)
    AND (
        %(check_name)s::text IS NULL
        OR EXISTS (
            SELECT FROM deid.shown_verdict AS v
            WHERE
                v.run_id = q.run_id AND v.document_id = q.document_id AND v.check_name = %(check_name)s
                AND NOT v.success
        )
    )
    AND (
        %(service)s::text IS NULL
        OR EXISTS (
            SELECT FROM deid.shown_document AS d
            WHERE d.run_id = q.run_id AND d.document_id = q.document_id AND d.service = %(service)s
        )
    )
    AND (
        %(after_at)s::timestamptz IS NULL
        OR (q.at, q.run_id, q.document_id)
        < (%(after_at)s::timestamptz, %(after_run)s::bigint, %(after_document)s::text)
    )
ORDER BY q.at DESC, q.run_id DESC, q.document_id DESC
LIMIT %(limit)s;

-- name: types
-- Grain: one document type in quarantine. Purpose: what one may filter by; a step per type on the index, not a scan.
WITH RECURSIVE types AS (
    (
        SELECT q.document_type
        FROM deid.quarantine AS q
        WHERE q.standing = %(standing)s
        ORDER BY q.document_type
        LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT q.document_type
        FROM deid.quarantine AS q
        WHERE q.standing = %(standing)s AND q.document_type > t.document_type
        ORDER BY q.document_type
        LIMIT 1
    )
    FROM types AS t
    WHERE t.document_type IS NOT NULL
)

SELECT t.document_type FROM types AS t WHERE t.document_type IS NOT NULL;

-- name: withdraw_former
-- Grain: one published version of a document whose correction is held back. Purpose: have it removed, if it is the one
-- of the run `former`; null where there is none to remove.
SELECT deid.withdraw_former(%(run_id)s, %(document_id)s, %(former)s) AS withdrawn;

-- name: waiting
-- Grain: one reason. Purpose: how many documents wait for a person, counted no further than anybody would read. The
-- order is the index's: without it a rare reason would have the planner read the whole table.
SELECT a.reason, n.documents
FROM unnest(%(reasons)s::text[]) AS a (reason)
CROSS JOIN LATERAL (
    SELECT count(*) AS documents
    FROM (
        SELECT FROM deid.quarantine AS q
        WHERE q.standing = 'waiting' AND q.reason = a.reason
        ORDER BY q.at DESC
        LIMIT %(most)s
    ) AS counted
) AS n
WHERE n.documents > 0
ORDER BY n.documents DESC, a.reason;
