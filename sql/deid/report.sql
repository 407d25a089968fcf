-- name: check_history
-- Grain: one rule in one earlier interval. Purpose: what the rule gives as a habit: observed, or the share that
-- broke it.
WITH earlier AS (
    SELECT r.interval_key, array_agg(r.run_id) AS run_ids
    FROM deid.run AS r
    WHERE NOT r.dry_run AND r.planned > 0 AND r.state IN ('staged', 'published')
    GROUP BY r.interval_key
    HAVING min(r.interval_start) < %(before)s AND r.interval_key <> %(interval_key)s
    ORDER BY min(r.interval_start) DESC
    LIMIT %(limit)s
)

SELECT
    c.suite,
    c.rule,
    e.interval_key,
    max(c.observed)::float8 AS observed,
    (sum(c.unexpected_count) / nullif(sum(c.element_count), 0))::float8 AS share
FROM earlier AS e
INNER JOIN deid.check_result AS c ON c.run_id = ANY(e.run_ids)
GROUP BY c.suite, c.rule, e.interval_key;

-- name: checks
-- Grain: one rule. Purpose: its result over the runs and batches of a report.
SELECT
    c.suite,
    c.rule,
    c.severity,
    bool_and(c.success) AS success,
    coalesce(sum(c.element_count), 0) AS elements,
    coalesce(sum(c.unexpected_count), 0) AS unexpected,
    max(c.observed)::float8 AS observed
FROM deid.check_result AS c
WHERE c.run_id = ANY(%(run_ids)s)
GROUP BY c.suite, c.rule, c.severity
ORDER BY c.suite, c.rule;

-- name: decisions
-- Grain: one answer. Purpose: the last decision on an interval that may be told, and by whom: everyone who gave that
-- answer on that content, the first one first.
SELECT
    d.chosen,
    (
        SELECT string_agg(e.decided_by, ', ' ORDER BY e.first_at)
        FROM (
            SELECT
                o.decided_by,
                min(o.decided_at) AS first_at
            FROM deid.told_decision AS o
            WHERE
                o.interval_key = d.interval_key AND o.chosen = d.chosen
                AND o.staged_digest IS NOT DISTINCT FROM d.staged_digest
            GROUP BY o.decided_by
        ) AS e
    ) AS decided_by,
    d.reason,
    d.decided_at
FROM deid.told_decision AS d
WHERE d.interval_key = %(interval_key)s AND d.chosen <> 'proposed'
ORDER BY d.decided_at DESC
LIMIT 1;

-- name: constraints
-- Grain: one kind of relation between dates, ages and lengths. Purpose: how many the sources state, how many their
-- published texts keep and violate, and in how many documents, of one side.
SELECT
    c.key AS kind,
    sum((c.value ->> 0)::int)::bigint AS stated,
    sum((c.value ->> 1)::int)::bigint AS kept,
    sum((c.value ->> 2)::int)::bigint AS violated,
    count(*) AS documents,
    count(*) FILTER (WHERE (c.value ->> 2)::int > 0) AS documents_violated
FROM deid.release_document AS d
CROSS JOIN LATERAL jsonb_each(d.constraints) AS c
WHERE d.interval_key = %(interval_key)s AND d.side = %(side)s
GROUP BY c.key
ORDER BY c.key;

-- name: agreement
-- Grain: one kind of agreement. Purpose: how many values texts state of their patient, or write behind an article, how
-- many disagree, and in how many documents, of one side.
SELECT
    a.key AS kind,
    sum((a.value ->> 0)::int)::bigint AS stated,
    sum((a.value ->> 1)::int)::bigint AS violated,
    count(*) AS documents,
    count(*) FILTER (WHERE (a.value ->> 1)::int > 0) AS documents_violated
FROM deid.release_document AS d
CROSS JOIN LATERAL jsonb_each(d.agreement) AS a
WHERE d.interval_key = %(interval_key)s AND d.side = %(side)s
GROUP BY a.key
ORDER BY a.key;

-- name: files
-- Grain: one format of files. Purpose: how many documents came in it, and what their texts and rewritten files lack, by
-- kind, of one side.
WITH counted AS (
    SELECT d.file_format, r.key AS kind, sum(r.value::int)::bigint AS number
    FROM deid.release_document AS d
    CROSS JOIN LATERAL jsonb_each_text(d.removed) AS r
    WHERE d.interval_key = %(interval_key)s AND d.side = %(side)s
    GROUP BY d.file_format, r.key
)

SELECT
    d.file_format AS format,
    count(*) AS documents,
    coalesce((
        SELECT jsonb_object_agg(c.kind, c.number) FROM counted AS c WHERE c.file_format = d.file_format
    ), '{}') AS removed
FROM deid.release_document AS d
WHERE d.interval_key = %(interval_key)s AND d.side = %(side)s AND d.file_format IS NOT NULL
GROUP BY d.file_format
ORDER BY d.file_format;

-- name: clinical
-- Grain: one interval. Purpose: clinical values and terms read in the sources, and those that changed, over documents
-- that are not in quarantine.
SELECT
    coalesce(sum(v.observed) FILTER (WHERE v.check_name = 'clinical_items'), 0) AS items,
    coalesce(sum(v.observed) FILTER (WHERE v.check_name = 'clinical_value_changed'), 0) AS changed,
    count(*) FILTER (WHERE v.check_name = 'clinical_items') AS documents,
    count(*) FILTER (WHERE v.check_name = 'clinical_value_changed' AND v.observed > 0) AS documents_changed
FROM deid.release_document AS d
INNER JOIN deid.verdict AS v ON d.run_id = v.run_id AND d.document_id = v.document_id
WHERE
    d.interval_key = %(interval_key)s AND d.side = %(side)s
    AND v.check_name IN ('clinical_items', 'clinical_value_changed');

-- name: epsilon_documents
-- Grain: one document on one side. Purpose: the sum of its ε, for the distribution and the sum by type; ordered, so
-- that quantiles are read off.
SELECT d.side, coalesce(d.document_type, '') AS document_type, e.epsilon
FROM deid.release_document AS d
CROSS JOIN LATERAL (
    SELECT sum(b.epsilon)::float8 AS epsilon
    FROM deid.budget AS b
    WHERE b.run_id = d.run_id AND b.document_id = d.document_id
) AS e
WHERE d.interval_key = %(interval_key)s AND e.epsilon IS NOT NULL
ORDER BY 3;

-- name: epsilon_mechanisms
-- Grain: one category of elements and its mechanism. Purpose: its cost per document, in nats.
-- The order makes the mean of floating-point numbers the same at every reading.
SELECT
    b.category,
    b.mechanism,
    count(*) AS documents,
    sum(b.elements) AS elements,
    avg(b.epsilon ORDER BY b.epsilon) AS mean,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY b.epsilon) AS p50,
    percentile_cont(0.95) WITHIN GROUP (ORDER BY b.epsilon) AS p95,
    max(b.epsilon) AS most
FROM deid.release_document AS d
INNER JOIN deid.budget AS b ON d.run_id = b.run_id AND d.document_id = b.document_id
WHERE d.interval_key = %(interval_key)s AND d.side = %(side)s
GROUP BY b.category, b.mechanism
ORDER BY b.category, b.mechanism;

-- name: headline
-- Grain: one interval. Purpose: the first numbers of a report, each document counted once. `treated` documents went
-- through every step: `in_force` are published without a newer version that waits, `quarantined`, `removed` (withdrawn,
-- recalled, or of a patient whose opt-out the ledger has yet to apply), and the others wait.
SELECT
    count(*) AS planned,
    count(*) FILTER (WHERE d.state = 'staged') AS waiting,
    count(*) FILTER (WHERE d.state = 'quarantined') AS quarantined,
    count(*) FILTER (WHERE d.state IN ('planned', 'detected', 'substituted', 'validated')) AS unfinished,
    count(*) FILTER (WHERE d.state NOT IN ('planned', 'detected', 'substituted', 'validated')) AS treated,
    greatest(0, count(h.document_id) - max(o.opted_out)) AS in_force,
    count(*) FILTER (WHERE d.state IN ('withdrawn', 'recalled')) + least(count(h.document_id), max(o.opted_out))
    AS removed,
    coalesce(max(o.opted_out), 0) AS opted_out,
    count(DISTINCT d.patient_id) AS patients,
    coalesce(sum(d.characters), 0) AS characters,
    (
        SELECT count(DISTINCT w.document_id) FROM deid.withdrawal AS w WHERE w.run_id = ANY(%(run_ids)s)
    ) AS withdrawals
FROM deid.counted_document AS d
LEFT JOIN deid.release_document AS h
    ON
        h.interval_key = %(interval_key)s AND h.side = 'held'
        AND d.state = 'published' AND d.run_id = h.run_id AND d.document_id = h.document_id
CROSS JOIN (
    SELECT coalesce(sum(g.documents), 0)::bigint AS opted_out
    FROM deid.opt_out_removal AS g
    INNER JOIN deid.opt_out AS q ON g.opt_out_id = q.opt_out_id
    INNER JOIN deid.release AS y ON g.release_id = y.release_id
    WHERE q.applied_at IS NULL AND y.interval_key = %(interval_key)s
) AS o
WHERE d.interval_key = %(interval_key)s;

-- name: lengths
-- Grain: one document. Purpose: its length in characters, for the distribution; ordered.
SELECT d.characters
FROM deid.release_document AS d
WHERE d.interval_key = %(interval_key)s AND d.side = %(side)s AND d.characters IS NOT NULL
ORDER BY 1;

-- name: mentions
-- Grain: one label or own type of the policy in one document type on one side. Purpose: the table of mentions; `own` is
-- what the policy says of an own type. The mentions of whole runs are counted in the order of their key, which is
-- faster than document by document; the policy is opened once a kind.
WITH shown AS MATERIALIZED (
    SELECT d.side, d.run_id, d.document_id, coalesce(d.document_type, '') AS document_type
    FROM deid.release_document AS d
    WHERE d.interval_key = %(interval_key)s
),

kinds AS MATERIALIZED (
    SELECT m.run_id, m.document_id, m.label, m.subtype, count(*) AS mentions
    FROM deid.mention AS m
    WHERE m.run_id = ANY(ARRAY(SELECT DISTINCT s.run_id FROM shown AS s))
    GROUP BY m.run_id, m.document_id, m.label, m.subtype
),

counted AS (
    SELECT s.side, s.document_type, s.run_id, k.label, k.subtype, sum(k.mentions) AS mentions
    FROM shown AS s
    INNER JOIN kinds AS k ON s.run_id = k.run_id AND s.document_id = k.document_id
    GROUP BY s.side, s.document_type, s.run_id, k.label, k.subtype
)

SELECT
    c.side,
    c.document_type,
    CASE WHEN p.content -> 'types' ? c.subtype THEN c.subtype ELSE c.label END AS label,
    CASE WHEN p.content -> 'types' ? c.subtype THEN jsonb_build_object(
        'label', c.label,
        'names', p.content #> ARRAY['types', c.subtype, 'names'],
        'provider', p.content #>> ARRAY['types', c.subtype, 'provider']
    ) END AS own,
    sum(c.mentions)::bigint AS mentions
FROM counted AS c
INNER JOIN deid.run AS r ON c.run_id = r.run_id
LEFT JOIN deid.policy AS p ON r.policy_hash = p.policy_hash
GROUP BY 1, 2, 3, 4
ORDER BY 1, 2, 3;

-- name: previous
-- Grain: one interval. Purpose: the published interval just before this one, to compare with.
SELECT r.interval_key
FROM deid.run AS r
INNER JOIN deid.release AS p ON r.interval_key = p.interval_key
WHERE
    p.published_at IS NOT NULL AND NOT r.dry_run AND r.planned > 0
    AND r.interval_start < %(interval_start)s AND r.interval_key <> %(interval_key)s
ORDER BY r.interval_start DESC
LIMIT 1;

-- name: quarantine
-- Grain: one reason at one step. Purpose: how many documents it holds back.
SELECT q.reason, q.step, count(*) AS documents
FROM deid.quarantine AS q
INNER JOIN deid.counted_document AS d
    ON q.run_id = d.run_id AND q.document_id = d.document_id AND q.content_hash = d.content_hash
WHERE d.interval_key = %(interval_key)s AND d.state = 'quarantined'
GROUP BY q.reason, q.step
ORDER BY 3 DESC, 1, 2;

-- name: held_back
-- Grain: the last 90 days. Purpose: of the documents that a check held back and a person judged since, how many that
-- person let through; a choice that was undone judges nothing.
SELECT
    count(*) AS judged,
    count(*) FILTER (WHERE j.choice = 'release') AS let_through
FROM (
    SELECT DISTINCT ON (c.document_id, c.content_hash) c.choice
    FROM deid.quarantine_choice AS c
    INNER JOIN deid.quarantine AS q
        ON c.run_id = q.run_id AND c.document_id = q.document_id AND c.content_hash = q.content_hash
    WHERE q.step = 'validate' AND c.undone_at IS NULL AND c.chosen_at > now() - interval '90 days'
    ORDER BY c.document_id ASC, c.content_hash ASC, c.chosen_at DESC
) AS j;

-- name: releases
-- Grain: one interval. Purpose: what its releases leave published, and what of it researchers read since the last
-- rewriting, in this version or in a former one; published_at is null if there was none.
SELECT
    s.published_at,
    s.published,
    (
        SELECT count(p.visible_from)
        FROM deid.release AS r
        INNER JOIN deid.published_document AS p ON r.release_id = p.release_id
        WHERE r.interval_key = s.interval_key AND r.published_at IS NOT NULL
    ) + (
        SELECT count(*)
        FROM deid.release AS r
        INNER JOIN deid.published_document AS p ON r.release_id = p.former_release_id
        WHERE r.interval_key = s.interval_key
    ) AS readable,
    s.corrected,
    s.withdrawn
FROM deid.interval_state AS s
WHERE s.interval_key = %(interval_key)s;

-- name: runs
-- Grain: one run. Purpose: the runs that an interval's report is about: those that hold a document that counts or
-- learnt of a withdrawal, else the last.
SELECT
    r.run_id,
    r.state,
    r.interval_start,
    r.interval_end,
    r.seen,
    r.planned,
    r.started_at,
    r.finished_at,
    r.policy_hash,
    r.pipeline_version,
    r.detector_version,
    r.key_version,
    r.reference_versions,
    r.source,
    r.source_digest,
    r.dag_version,
    r.reason
FROM deid.run AS r
WHERE
    r.interval_key = %(interval_key)s AND NOT r.dry_run
    AND (
        EXISTS (
            SELECT FROM deid.counted_document AS c
            WHERE c.interval_key = %(interval_key)s AND c.run_id = r.run_id
        )
        OR EXISTS (SELECT FROM deid.withdrawal AS w WHERE w.run_id = r.run_id)
        OR r.run_id = (
            SELECT max(n.run_id) FROM deid.run AS n WHERE n.interval_key = %(interval_key)s AND NOT n.dry_run
        )
    )
ORDER BY r.planned = 0, r.run_id;

-- name: staged
-- Grain: some runs of one interval. Purpose: what a steward reads before deciding: counts of what publishing them does.
SELECT
    (SELECT coalesce(max(r.seen), 0) FROM deid.run AS r WHERE r.run_id = ANY(%(run_ids)s::bigint[])) AS seen,
    count(*) FILTER (WHERE d.state = 'staged') AS staged,
    count(DISTINCT d.document_id) FILTER (WHERE d.state = 'quarantined') AS quarantined,
    count(*) FILTER (WHERE d.state = 'staged' AND EXISTS (
        SELECT FROM deid.document AS o
        WHERE o.document_id = d.document_id AND o.state = 'published'
    )) AS corrected,
    (
        SELECT count(DISTINCT w.document_id) FROM deid.withdrawal AS w WHERE w.run_id = ANY(%(run_ids)s::bigint[])
    ) AS withdrawn
FROM deid.document AS d
WHERE d.run_id = ANY(%(run_ids)s::bigint[]);

-- name: steps
-- Grain: one step. Purpose: its cost over all batches; memory is the highest seen in one process.
SELECT
    t.step,
    count(*) AS batches,
    sum(t.seconds) AS seconds,
    sum(t.documents) AS documents,
    sum(t.characters) AS characters,
    max(t.peak_rss_mb) AS peak_rss_mb
FROM deid.timing AS t
WHERE t.run_id = ANY(%(run_ids)s)
GROUP BY t.step
ORDER BY min(t.at);

-- name: types
-- Grain: one document type on one side. Purpose: how many documents and how much text it holds. The documents that an
-- opt-out took out of research count no more, although the ledger learns of it later.
WITH opted_out AS (
    SELECT g.document_type, sum(g.documents)::bigint AS documents
    FROM deid.opt_out_removal AS g
    INNER JOIN deid.opt_out AS q ON g.opt_out_id = q.opt_out_id
    INNER JOIN deid.release AS y ON g.release_id = y.release_id
    WHERE q.applied_at IS NULL AND y.interval_key = %(interval_key)s
    GROUP BY g.document_type
)

SELECT
    d.side,
    coalesce(d.document_type, '') AS document_type,
    count(*) - coalesce(max(o.documents), 0) AS documents,
    coalesce(sum(d.characters), 0) AS characters,
    coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY d.characters), 0)::float8 AS median_characters
FROM deid.release_document AS d
LEFT JOIN opted_out AS o ON d.side = 'held' AND coalesce(d.document_type, '') = o.document_type
WHERE d.interval_key = %(interval_key)s
GROUP BY 1, 2
ORDER BY 1 DESC, 3 DESC, 2;

-- name: waived
-- Grain: one check on one side, and all checks (null). Purpose: how many documents passed although it failed, because a
-- person waived it.
SELECT d.side, v.check_name, count(DISTINCT d.document_id) AS documents
FROM deid.release_document AS d
INNER JOIN deid.verdict AS v ON d.run_id = v.run_id AND d.document_id = v.document_id
WHERE d.interval_key = %(interval_key)s AND v.waived
GROUP BY d.side, ROLLUP (v.check_name)
ORDER BY d.side DESC, v.check_name;
