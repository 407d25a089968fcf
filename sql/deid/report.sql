-- name: check_history
-- Grain: one rule in one earlier interval. Purpose: what the rule gives as a habit: observed by the run that `checks`
-- tells, or the share that broke it.
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
    (array_agg(c.observed ORDER BY c.success, c.run_id DESC))[1]::float8 AS observed,
    (sum(c.unexpected_count) / nullif(sum(c.element_count), 0))::float8 AS share
FROM earlier AS e
INNER JOIN deid.check_result AS c ON c.run_id = ANY(e.run_ids)
GROUP BY c.suite, c.rule, e.interval_key;

-- name: checks
-- Grain: one rule. Purpose: its result over the batches of a report's runs. A rule on the whole is a fact of one run,
-- of `documents` documents, and not of the interval: the last run that failed it, else the last.
WITH told AS (
    SELECT
        c.suite,
        c.rule,
        c.severity,
        c.success,
        c.element_count,
        c.unexpected_count,
        c.observed,
        r.run_id,
        r.planned,
        c.batch_id IS NULL AS whole,
        row_number() OVER (
            PARTITION BY c.suite, c.rule, c.batch_id IS NULL ORDER BY c.success, c.run_id DESC
        ) AS place
    FROM deid.check_result AS c
    INNER JOIN deid.run AS r ON c.run_id = r.run_id
    WHERE c.run_id = ANY(%(run_ids)s)
)

SELECT
    c.suite,
    c.rule,
    c.severity,
    bool_and(c.success) AS success,
    coalesce(sum(c.element_count), 0) AS elements,
    coalesce(sum(c.unexpected_count), 0) AS unexpected,
    max(c.observed)::float8 AS observed,
    max(c.run_id) FILTER (WHERE c.whole) AS run_id,
    max(c.planned) FILTER (WHERE c.whole) AS documents
FROM told AS c
WHERE NOT c.whole OR c.place = 1
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
SELECT f.kind, f.stated, f.kept, f.violated, f.documents, f.documents_violated
FROM deid.report_constraints(%(interval_key)s, %(side)s) AS f;

-- name: indirect
-- Grain: one label of indirect identifiers. Purpose: mentions that the texts of one side keep, and in how many of them;
-- NULL for how many texts were read for them.
SELECT f.label, f.mentions, f.documents
FROM deid.report_indirect(%(interval_key)s, %(side)s) AS f;

-- name: agreement
-- Grain: one kind of agreement. Purpose: how many values texts state of their patient, or write behind an article, how
-- many disagree, and in how many documents, of one side.
SELECT f.kind, f.stated, f.violated, f.documents, f.documents_violated
FROM deid.report_agreement(%(interval_key)s, %(side)s) AS f;

-- name: files
-- Grain: one format of files. Purpose: how many documents came in it, and what their texts and rewritten files lack, by
-- kind, of one side.
SELECT f.format, f.documents, f.removed
FROM deid.report_files(%(interval_key)s, %(side)s) AS f;

-- name: clinical
-- Grain: one interval. Purpose: clinical values and terms read in the sources, and those that changed, over documents
-- that are not in quarantine.
SELECT f.items, f.changed, f.documents, f.documents_changed
FROM deid.report_clinical(%(interval_key)s, %(side)s) AS f;

-- name: epsilon_documents
-- Grain: one document on one side. Purpose: the sum of its ε, for the distribution and the sum by type; ordered, so
-- that quantiles are read off.
SELECT f.side, f.document_type, f.epsilon
FROM deid.report_epsilon_documents(%(interval_key)s) AS f;

-- name: epsilon_mechanisms
-- Grain: one category of elements and its mechanism. Purpose: its cost per document, in nats.
-- The order makes the mean of floating-point numbers the same at every reading.
SELECT f.category, f.mechanism, f.documents, f.elements, f.mean, f.p50, f.p95, f.most
FROM deid.report_epsilon_mechanisms(%(interval_key)s, %(side)s) AS f;

-- name: headline
-- Grain: one interval. Purpose: the first numbers of a report, each document counted once, as the balance has them:
-- `planned` were taken up; of the `treated` ones, `in_force` are published without a newer version that waits.
SELECT
    b.seen - b.untaken AS planned,
    b.waiting,
    b.quarantined,
    b.unfinished,
    b.treated,
    b.visible + b.later AS in_force,
    b.removed,
    f.opted_out,
    f.patients,
    f.characters,
    f.withdrawals
FROM deid.interval_balance(%(interval_key)s) AS b
CROSS JOIN deid.report_headline(%(interval_key)s, %(run_ids)s) AS f;

-- name: balance
-- Grain: one interval. Purpose: what became of the documents that it saw; the parts add up to `seen`.
SELECT
    f.seen, f.visible, f.later, f.waiting, f.quarantined, f.removed, f.moved, f.unfinished, f.untaken
FROM deid.interval_balance(%(interval_key)s) AS f;

-- name: lengths
-- Grain: one document. Purpose: its length in characters, for the distribution; ordered.
SELECT f.characters
FROM deid.report_lengths(%(interval_key)s, %(side)s) AS f;

-- name: mentions
-- Grain: one label or own type of the policy in one document type on one side. Purpose: the table of mentions; `own` is
-- what the policy says of an own type. The mentions of whole runs are counted in the order of their key, which is
-- faster than document by document; the policy is opened once a kind.
SELECT f.side, f.document_type, f.label, f.own, f.mentions
FROM deid.report_mentions(%(interval_key)s) AS f;

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
    b.published,
    b.readable,
    s.corrected,
    s.withdrawn
FROM deid.interval_state AS s
CROSS JOIN LATERAL deid.interval_balance(s.interval_key) AS b
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
    r.elsewhere,
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
    r.code_digest,
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
-- Grain: some runs of one interval, those that wait. Purpose: what a steward reads before deciding: what the interval
-- holds, as its balance has it, and what publishing the runs does. Nothing is said of an interval without such runs,
-- and nothing of its quarantine where they hold no document.
SELECT
    CASE WHEN w.runs THEN b.seen ELSE 0 END AS seen,
    CASE WHEN w.runs THEN b.waiting ELSE 0 END AS staged,
    CASE WHEN w.documents THEN b.quarantined ELSE 0 END AS quarantined,
    (
        SELECT count(*)
        FROM deid.document AS d
        WHERE
            d.run_id = ANY(%(run_ids)s::bigint[]) AND d.state = 'staged'
            AND EXISTS (
                SELECT FROM deid.document AS o WHERE o.document_id = d.document_id AND o.state = 'published'
            )
    ) AS corrected,
    (
        SELECT count(DISTINCT w.document_id) FROM deid.withdrawal AS w WHERE w.run_id = ANY(%(run_ids)s::bigint[])
    ) AS withdrawn
FROM deid.interval_balance(%(interval_key)s) AS b
CROSS JOIN (
    SELECT
        cardinality(%(run_ids)s::bigint[]) > 0 AS runs,
        EXISTS (SELECT FROM deid.document AS d WHERE d.run_id = ANY(%(run_ids)s::bigint[])) AS documents
) AS w;

-- name: steps
-- Grain: one step. Purpose: its cost over all batches; memory is the highest seen in one process.
SELECT f.step, f.batches, f.seconds, f.documents, f.characters, f.peak_rss_mb
FROM deid.report_steps(%(run_ids)s) AS f;

-- name: types
-- Grain: one document type on one side. Purpose: how many documents and how much text it holds. The documents that an
-- opt-out took out of research count no more, although the ledger learns of it later.
SELECT f.side, f.document_type, f.documents, f.characters, f.median_characters
FROM deid.report_types(%(interval_key)s) AS f;

-- name: waived
-- Grain: one check on one side, and all checks (null). Purpose: how many documents passed although it failed, because a
-- person waived it.
SELECT f.side, f.check_name, f.documents
FROM deid.report_waived(%(interval_key)s) AS f;
