-- name: assign_release
-- Grain: one staged document. Purpose: fix what a release holds before its first batch is written.
UPDATE deid.document
SET release_id = %(release_id)s, updated_at = now()
WHERE run_id = ANY(%(run_ids)s) AND state = 'staged';

-- name: batch
-- Grain: one document. Purpose: those of a batch that wait in the given state.
SELECT document_id, content_hash, title_clean, file_digest
FROM deid.document
WHERE run_id = %(run_id)s AND batch_id = %(batch_id)s AND state = %(state)s
ORDER BY document_id COLLATE "C";

-- name: batches
-- Grain: one batch. Purpose: what a run was split into, in the same order at every call.
SELECT batch_id, count(*) AS documents
FROM deid.document
WHERE run_id = %(run_id)s
GROUP BY batch_id
ORDER BY batch_id;

-- name: discarded_before
-- Grain: one document of the interval with a choice from before versions were named by their patient. Purpose: what
-- says whether its content is the discarded one.
SELECT i.document_id, i.content_hash, i.patient_id, q.content_hash AS discarded
FROM incoming_document AS i
INNER JOIN deid.quarantine AS q ON i.document_id = q.document_id AND q.standing = 'discard'
WHERE q.content_hash = ANY(%(salted)s::text[])
ORDER BY i.document_id;

-- name: drop_stale
-- Grain: one staged document. Purpose: what must no longer be published: withdrawn since it was planned, or
-- overtaken by a newer version that is published, or that waits in the same interval.
WITH stale AS (
    SELECT
        d.document_id,
        d.content_hash,
        d.pipeline_version,
        d.run_id,
        CASE
            WHEN EXISTS (
                SELECT FROM deid.withdrawal AS w WHERE w.document_id = d.document_id AND w.run_id >= d.run_id
            ) THEN 'withdrawn'
            WHEN EXISTS (
                SELECT FROM deid.document AS n
                WHERE
                    n.document_id = d.document_id
                    AND (n.state = 'published' OR (n.state = 'staged' AND n.run_id = ANY(%(run_ids)s)))
                    AND n.run_id > d.run_id
            ) THEN 'superseded'
        END AS state
    FROM deid.document AS d
    WHERE d.run_id = ANY(%(run_ids)s) AND d.state = 'staged'
),

erased AS (
    DELETE FROM deid.candidate AS c
    USING stale AS s
    WHERE s.state IS NOT NULL AND c.run_id = s.run_id AND c.document_id = s.document_id
),

unread AS (
    UPDATE deid.review_document AS v
    SET text = NULL, spans = NULL, erased_at = now(), erased_for = 'withdrawal'
    FROM stale AS s
    WHERE s.state = 'withdrawn' AND v.document_id = s.document_id AND v.run_id <= s.run_id AND v.text IS NOT NULL
)

UPDATE deid.document AS d
SET state = s.state, updated_at = now()
FROM stale AS s
WHERE
    s.state IS NOT NULL
    AND d.document_id = s.document_id
    AND d.content_hash = s.content_hash
    AND d.pipeline_version = s.pipeline_version;

-- name: filter_new
-- Grain: one document of the interval that is new to the ledger.
-- Purpose: the anti-join. New is: never seen in this version under this pipeline; or seen, and since then
-- superseded or withdrawn (the source has it again), or about to be; or left unfinished by a run that ended, fell
-- silent or was taken over; or in quarantine, from where a person wants it done again; or recalled or taken out by a
-- person, where a person asked for the run. Never new: a content that a person has discarded, and the documents of a
-- person who has objected: the patient's, those of patients merged with this one, and, where the source tells no
-- merges, those that were ever the patient's.
CREATE TEMPORARY TABLE new_document ON COMMIT DROP AS
SELECT
    i.document_id,
    i.content_hash,
    i.patient_id,
    i.ingested_at,
    i.document_type,
    i.service,
    row_number() OVER (ORDER BY i.document_id COLLATE "C") AS place
FROM incoming_document AS i
LEFT JOIN deid.document AS d
    ON i.document_id = d.document_id
    AND i.content_hash = d.content_hash
    AND d.pipeline_version = %(pipeline_version)s
LEFT JOIN deid.run AS r ON d.run_id = r.run_id
WHERE
    (cardinality(%(document_types)s::text[]) = 0 OR i.document_type = ANY(%(document_types)s))
    AND (cardinality(%(services)s::text[]) = 0 OR i.service = ANY(%(services)s))
    AND (
        d.document_id IS NULL
        OR d.state IN ('superseded', 'withdrawn', 'recalled')
        OR (d.state IN ('staged', 'published') AND EXISTS (
            SELECT FROM deid.withdrawal AS w WHERE w.document_id = d.document_id AND w.run_id >= d.run_id
        ))
        OR (
            d.state IN ('planned', 'detected', 'substituted', 'validated')
            AND (r.state <> 'planned' OR deid.run_is_dead(r.active_at, r.taken_over_at, %(abandoned_after_s)s))
        )
        OR (d.state = 'quarantined' AND EXISTS (
            SELECT FROM deid.quarantine AS q
            WHERE
                q.document_id = i.document_id AND q.content_hash = i.content_hash AND q.standing IN ('retry', 'release')
        ))
    )
    AND (
        %(requested_by)s::text <> ''
        OR (d.state IS DISTINCT FROM 'recalled' AND NOT EXISTS (
            SELECT FROM deid.withdrawal AS w
            INNER JOIN deid.document AS o ON w.document_id = o.document_id AND w.run_id = o.run_id
            WHERE w.document_id = i.document_id AND o.content_hash = i.content_hash AND w.by_person
        ))
    )
    AND NOT EXISTS (
        SELECT FROM deid.quarantine AS q
        WHERE
            q.document_id = i.document_id AND q.standing = 'discard'
            AND q.content_hash = i.content_hash
    )
    AND i.document_id <> ALL(%(discarded)s::text[])
    AND NOT EXISTS (
        SELECT FROM deid.opted_out_patient AS o
        WHERE
            o.patient_id = i.patient_id
            OR (NOT %(merges_known)s AND o.patient_id IN (
                SELECT k.patient_id FROM deid.document AS k WHERE k.document_id = i.document_id
            ))
    );

-- name: gone
-- Grain: one document in quarantine, or left unfinished by a dead run. Purpose: it was to be done again, and the source
-- no longer has it. Returns its run.
WITH lost AS (
    SELECT l.document_id, l.content_hash, l.pipeline_version, l.run_id
    FROM deid.document AS l
    INNER JOIN deid.run AS r ON l.run_id = r.run_id
    WHERE
        l.document_id = ANY(%(gone)s::text[])
        AND (
            l.state = 'quarantined'
            OR (
                l.state IN ('planned', 'detected', 'substituted', 'validated')
                AND (r.state <> 'planned' OR deid.run_is_dead(r.active_at, r.taken_over_at, %(abandoned_after_s)s))
            )
        )
),

erased AS (
    DELETE FROM deid.candidate AS c
    USING lost AS l
    WHERE c.run_id = l.run_id AND c.document_id = l.document_id
)

UPDATE deid.document AS d
SET state = 'withdrawn', updated_at = now()
FROM lost AS l
WHERE
    d.document_id = l.document_id AND d.content_hash = l.content_hash AND d.pipeline_version = l.pipeline_version
RETURNING d.run_id;

-- name: holders
-- Grain: one other unfinished run that has documents of the interval. Purpose: `alive` runs keep theirs, and a person
-- must be told; those of the others go to this run.
SELECT
    r.run_id,
    r.triggered_by,
    r.active_at,
    count(*) AS documents,
    NOT deid.run_is_dead(r.active_at, r.taken_over_at, %(abandoned_after_s)s) AS alive
FROM incoming_document AS i
INNER JOIN deid.document AS d
    ON i.document_id = d.document_id
    AND i.content_hash = d.content_hash
    AND d.pipeline_version = %(pipeline_version)s
INNER JOIN deid.run AS r ON d.run_id = r.run_id
WHERE
    (cardinality(%(document_types)s::text[]) = 0 OR i.document_type = ANY(%(document_types)s))
    AND (cardinality(%(services)s::text[]) = 0 OR i.service = ANY(%(services)s))
    AND d.state IN ('planned', 'detected', 'substituted', 'validated')
    AND r.state = 'planned'
GROUP BY r.run_id
ORDER BY r.run_id;

-- name: linkable
-- Grain: one published document of some patients under one version of the secret. Purpose: what maps the dates of a
-- table, if it was substituted as the policy in force says.
SELECT d.document_id, d.patient_id, d.content_hash, p.content -> 'substitution' AS substitution
FROM deid.document AS d
INNER JOIN deid.run AS r ON d.run_id = r.run_id
LEFT JOIN deid.policy AS p ON r.policy_hash = p.policy_hash
WHERE
    d.patient_id = ANY(%(patient_ids)s) AND d.state = 'published'
    AND r.key_fingerprint = %(key_fingerprint)s AND r.source = %(source)s
ORDER BY d.patient_id, d.document_id;

-- name: live
-- Grain: one document id. Purpose: every document that is published or on its way, in its latest version, to be looked
-- up at the source.
SELECT DISTINCT ON (d.document_id) d.document_id, d.patient_id, d.ingested_at
FROM deid.document AS d
WHERE
    d.state IN ('planned', 'detected', 'substituted', 'validated', 'staged', 'published')
ORDER BY d.document_id ASC, d.run_id DESC;

-- name: lost
-- Grain: one document id. Purpose: how many of some, which have no id of the source, were not cut off from it with a
-- destroyed secret.
SELECT count(*) AS documents
FROM unnest(%(document_ids)s::text[]) AS w (document_id)
WHERE NOT EXISTS (
    SELECT
    FROM deid.document AS d
    INNER JOIN deid.run AS r ON d.run_id = r.run_id
    INNER JOIN deid.key AS k ON r.key_fingerprint = k.fingerprint
    WHERE d.document_id = w.document_id AND k.destroyed_at IS NOT NULL
);

-- name: move
-- Grain: one document. Purpose: its state after a step, and what the step learnt of it.
UPDATE deid.document AS d
SET
    state = i.state,
    patient_id = coalesce(i.patient_id, d.patient_id),
    loinc_code = coalesce(i.loinc_code, d.loinc_code),
    characters = coalesce(i.characters, d.characters),
    title_clean = coalesce(i.title_clean, d.title_clean),
    constraints = coalesce(i.constraints, d.constraints),
    agreement = coalesce(i.agreement, d.agreement),
    said = coalesce(i.said, d.said),
    indirect = coalesce(i.indirect, d.indirect),
    file_format = coalesce(i.file_format, d.file_format),
    removed = coalesce(i.removed, d.removed),
    file_digest = coalesce(i.file_digest, d.file_digest),
    updated_at = now()
FROM incoming_document AS i
INNER JOIN owned AS o ON i.document_id = o.document_id
WHERE d.document_id = i.document_id AND d.content_hash = i.content_hash AND d.run_id = %(run_id)s;

-- name: overtake
-- Grain: one unfinished version of a document that this run takes up in another version, or under another pipeline.
-- Purpose: a dead run leaves neither a state that never ends nor a text. Returns its run.
WITH older AS (
    SELECT o.document_id, o.content_hash, o.pipeline_version, o.run_id
    FROM deid.document AS o
    INNER JOIN new_document AS n ON o.document_id = n.document_id
    INNER JOIN deid.run AS r ON o.run_id = r.run_id
    WHERE
        o.run_id <> %(run_id)s
        AND o.state IN ('planned', 'detected', 'substituted', 'validated')
        AND (o.content_hash, o.pipeline_version) <> (n.content_hash, %(pipeline_version)s)
        AND (r.state <> 'planned' OR deid.run_is_dead(r.active_at, r.taken_over_at, %(abandoned_after_s)s))
),

erased AS (
    DELETE FROM deid.candidate AS c
    USING older AS o
    WHERE c.run_id = o.run_id AND c.document_id = o.document_id
)

UPDATE deid.document AS d
SET state = 'superseded', updated_at = now()
FROM older AS o
WHERE
    d.document_id = o.document_id AND d.content_hash = o.content_hash AND d.pipeline_version = o.pipeline_version
RETURNING d.run_id;

-- name: own
-- Grain: one document. Purpose: lock those that a step has worked on and that are still its own to move on: a
-- second execution of the step, or a run that took the documents over, leaves none.
CREATE TEMPORARY TABLE owned ON COMMIT DROP AS
SELECT d.document_id, d.content_hash
FROM deid.document AS d
INNER JOIN incoming_document AS i ON d.document_id = i.document_id AND d.content_hash = i.content_hash
WHERE d.run_id = %(run_id)s AND d.batch_id = %(batch_id)s AND d.state = %(before)s
FOR UPDATE OF d;

-- name: plan
-- Grain: one document version under one pipeline version.
-- Purpose: give the new documents to this run, in batches; those of a dead run change hands.
INSERT INTO deid.document AS d (
    document_id, content_hash, pipeline_version, run_id, batch_id, state, ingested_at, patient_id, document_type,
    service
)
SELECT
    n.document_id, n.content_hash, %(pipeline_version)s, %(run_id)s, 1 + (n.place - 1) / %(batch_size)s, 'planned',
    n.ingested_at, n.patient_id, n.document_type, n.service
FROM new_document AS n
ORDER BY n.document_id COLLATE "C"
ON CONFLICT (document_id, content_hash, pipeline_version) DO UPDATE
SET
    run_id = excluded.run_id,
    batch_id = excluded.batch_id,
    state = excluded.state,
    ingested_at = excluded.ingested_at,
    release_id = NULL,
    updated_at = now();

-- name: publish
-- Grain: one document version. Purpose: this batch is published; older versions of its documents are superseded,
-- and no text of theirs stays behind.
WITH batch AS (
    SELECT document_id, content_hash, pipeline_version, run_id
    FROM deid.document
    WHERE release_id = %(release_id)s AND run_id = %(run_id)s AND batch_id = %(batch_id)s AND state = 'staged'
),

erased AS (
    DELETE FROM deid.candidate AS c
    USING batch AS b
    WHERE c.document_id = b.document_id AND c.run_id = b.run_id
)

UPDATE deid.document AS d
SET
    state = CASE WHEN d.content_hash = b.content_hash AND d.pipeline_version = b.pipeline_version
        THEN 'published' ELSE 'superseded' END,
    updated_at = now()
FROM batch AS b
WHERE
    d.document_id = b.document_id
    AND (
        (d.content_hash = b.content_hash AND d.pipeline_version = b.pipeline_version)
        OR d.state = 'published'
    );

-- name: refuse
-- Grain: one staged document. Purpose: its patient's account cannot bear it, or it disagrees with the
-- patient's others; no text of it stays behind.
WITH refused AS (
    UPDATE deid.document AS d
    SET state = 'quarantined', updated_at = now()
    WHERE d.run_id = %(run_id)s AND d.document_id = ANY(%(document_ids)s) AND d.state = 'staged'
    RETURNING d.document_id, d.content_hash
),

erased AS (
    DELETE FROM deid.candidate AS c
    USING refused AS r
    WHERE c.run_id = %(run_id)s AND c.document_id = r.document_id
)

INSERT INTO deid.quarantine (run_id, document_id, content_hash, step, reason)
SELECT %(run_id)s, r.document_id, r.content_hash, 'stage', %(reason)s
FROM refused AS r
ORDER BY r.document_id
ON CONFLICT DO NOTHING;

-- name: repeated
-- Grain: one row. Purpose: documents that the source lists more than once in an interval.
SELECT count(*)
FROM (SELECT i.document_id FROM incoming_document AS i GROUP BY i.document_id HAVING count(*) > 1) AS r;

-- name: replace_refused
-- Grain: one quarantined version of a document that this run takes up in another version, or under another pipeline.
-- Purpose: figures count the document under this run, and no longer under the one that refused it.
UPDATE deid.document AS d
SET state = 'superseded', updated_at = now()
FROM new_document AS n
WHERE
    d.document_id = n.document_id AND d.state = 'quarantined' AND d.run_id <> %(run_id)s
    AND (d.content_hash, d.pipeline_version) <> (n.content_hash, %(pipeline_version)s);

-- name: searched
-- Grain: one document of a run. Purpose: those that detection has been through, to score what it found.
SELECT d.document_id, d.content_hash, d.document_type
FROM deid.document AS d
WHERE d.run_id = %(run_id)s
AND d.state NOT IN ('planned', 'withdrawn')
AND NOT EXISTS (
    SELECT FROM deid.quarantine AS q
    WHERE q.run_id = d.run_id AND q.document_id = d.document_id AND q.step = 'detect'
)
ORDER BY d.document_id;

-- name: send_back
-- Grain: one staged document of some runs. Purpose: its interval was sent back: no text of it stays behind, and the
-- next run over the interval finds it new, whatever its pipeline version. Of a release that is under way, only those of
-- the interrupted one, if it is given.
WITH back AS (
    SELECT d.document_id, d.content_hash, d.pipeline_version, d.run_id
    FROM deid.document AS d
    WHERE d.run_id = ANY(%(run_ids)s::bigint[]) AND d.state = 'staged'
        AND (d.release_id IS NULL OR d.release_id = %(interrupted)s::bigint)
    FOR UPDATE OF d
),

erased AS (
    DELETE FROM deid.candidate AS c
    USING back AS b
    WHERE c.run_id = b.run_id AND c.document_id = b.document_id
)

UPDATE deid.document AS d
SET state = 'superseded', release_id = NULL, updated_at = now()
FROM back AS b
WHERE
    d.document_id = b.document_id AND d.content_hash = b.content_hash AND d.pipeline_version = b.pipeline_version;

-- name: stage
-- Grain: one document. Purpose: what passed validation now waits for its interval to be published.
UPDATE deid.document SET state = 'staged', updated_at = now() WHERE run_id = %(run_id)s AND state = 'validated';

-- name: supersede_staged
-- Grain: one staged document of an earlier run. Purpose: this run has judged the same document again, in a newer
-- version or under a newer pipeline: the earlier one must not be published, and its text goes.
WITH older AS (
    SELECT o.document_id, o.content_hash, o.pipeline_version, o.run_id
    FROM deid.document AS o
    INNER JOIN deid.document AS n
        ON o.document_id = n.document_id
        AND n.run_id = %(run_id)s
        AND n.state IN ('staged', 'quarantined')
        AND (n.ingested_at, n.run_id) > (o.ingested_at, o.run_id)
    WHERE o.state = 'staged' AND o.run_id <> n.run_id AND o.release_id IS NULL
),

erased AS (
    DELETE FROM deid.candidate AS c
    USING older AS o
    WHERE c.run_id = o.run_id AND c.document_id = o.document_id
)

UPDATE deid.document AS d
SET state = 'superseded', updated_at = now()
FROM older AS o
WHERE
    d.document_id = o.document_id AND d.content_hash = o.content_hash AND d.pipeline_version = o.pipeline_version;

-- name: tally
-- Grain: one state. Purpose: how many documents of a batch are where.
SELECT state, count(*) AS documents, coalesce(sum(characters), 0) AS characters
FROM deid.document
WHERE run_id = %(run_id)s AND batch_id = %(batch_id)s
GROUP BY state;

-- name: withdraw
-- Grain: one document version. Purpose: the withdrawal is done; no text of the document stays behind, nor in
-- a review.
WITH gone AS (
    SELECT d.document_id, d.content_hash, d.pipeline_version, d.run_id
    FROM deid.document AS d
    WHERE
        d.document_id = ANY(%(document_ids)s)
        AND d.state IN ('staged', 'published')
        AND EXISTS (SELECT FROM deid.withdrawal AS w WHERE w.document_id = d.document_id AND w.run_id >= d.run_id)
),

erased AS (
    DELETE FROM deid.candidate AS c
    USING gone AS g
    WHERE c.document_id = g.document_id AND c.run_id = g.run_id
),

unread AS (
    UPDATE deid.review_document AS v
    SET text = NULL, spans = NULL, erased_at = now(), erased_for = 'withdrawal'
    FROM gone AS g
    WHERE v.document_id = g.document_id AND v.run_id <= g.run_id AND v.text IS NOT NULL
)

UPDATE deid.document AS d
SET state = 'withdrawn', updated_at = now()
FROM gone AS g
WHERE
    d.document_id = g.document_id AND d.content_hash = g.content_hash AND d.pipeline_version = g.pipeline_version;

-- name: withdraw_patients
-- Grain: one document version of a patient who objected. Purpose: it is withdrawn wherever it stood, and no text of it
-- stays behind, neither to be published nor in a review.
WITH gone AS (
    UPDATE deid.document AS d
    SET state = 'withdrawn', updated_at = now()
    WHERE d.patient_id = ANY(%(patient_ids)s) AND d.state NOT IN ('withdrawn', 'superseded')
    RETURNING d.document_id, d.run_id, d.patient_id
),

erased AS (
    DELETE FROM deid.candidate AS c
    USING gone AS g
    WHERE c.run_id = g.run_id AND c.document_id = g.document_id
),

forgotten AS (
    UPDATE deid.review_document AS v
    SET text = NULL, spans = NULL, erased_at = now(), erased_for = 'withdrawal'
    FROM (SELECT DISTINCT g.document_id FROM gone AS g) AS g
    WHERE v.document_id = g.document_id AND v.text IS NOT NULL
)

SELECT g.patient_id FROM gone AS g;

-- name: withhold
-- Grain: one staged document of a batch. Purpose: its patient objected since it was staged: it is not published.
WITH held AS (
    UPDATE deid.document AS d
    SET state = 'withdrawn', updated_at = now()
    WHERE d.run_id = %(run_id)s AND d.document_id = ANY(%(document_ids)s) AND d.state = 'staged'
    RETURNING d.document_id
)

DELETE FROM deid.candidate AS c
USING held AS h
WHERE c.run_id = %(run_id)s AND c.document_id = h.document_id;
