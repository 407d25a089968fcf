-- name: counted
-- Grain: one run. Purpose: what planning saw in the interval, and how much of it is new.
UPDATE deid.run
SET
    seen = %(seen)s,
    elsewhere = %(elsewhere)s,
    planned = %(planned)s,
    held = %(held)s,
    finished_at = CASE WHEN dry_run THEN now() END
WHERE run_id = %(run_id)s;

-- name: close_emptied
-- Grain: one dead run. Purpose: its documents went to another run: it has nothing left to do. Those that it had refused
-- stay its own.
UPDATE deid.run AS r
SET
    state = 'superseded',
    planned = (
        SELECT count(*) FROM deid.document AS d WHERE d.run_id = r.run_id AND d.state NOT IN ('superseded', 'withdrawn')
    ),
    finished_at = now()
WHERE
    r.run_id = ANY(%(run_ids)s::bigint[])
    AND r.state = 'planned'
    AND NOT EXISTS (
        SELECT FROM deid.document AS d
        WHERE d.run_id = r.run_id AND d.state IN ('planned', 'detected', 'substituted', 'validated')
    );

-- name: find
-- Grain: one run. Purpose: the run that this trigger has already made, if any.
SELECT run_id, dry_run FROM deid.run WHERE triggered_by = %(triggered_by)s;

-- name: insert
-- Grain: one run. Purpose: register it; the unique trigger makes a repeat of the same plan find it.
INSERT INTO deid.run (
    triggered_by, source, interval_start, interval_end, interval_key, document_types, services, dry_run, reason,
    requested_by, policy_hash, pipeline_version, detector_version, key_version, key_fingerprint,
    reference_versions, models, source_digest, code_digest, dag_version, state
) VALUES (
    %(triggered_by)s, %(source)s, %(interval_start)s, %(interval_end)s, %(interval_key)s, %(document_types)s,
    %(services)s, %(dry_run)s, %(reason)s, %(requested_by)s, %(policy_hash)s, %(pipeline_version)s,
    %(detector_version)s, %(key_version)s, %(key_fingerprint)s, %(reference_versions)s,
    %(models)s, %(source_digest)s, %(code_digest)s, %(dag_version)s,
    CASE WHEN %(dry_run)s THEN 'dry_run' ELSE 'planned' END
)
RETURNING run_id;

-- name: interval
-- Grain: one run of an interval that waits to be published. Purpose: what a release of the interval is made of.
SELECT run_id, policy_hash, pipeline_version, key_version, staged_digest
FROM deid.run
WHERE interval_key = %(interval_key)s AND state = 'staged'
ORDER BY run_id;

-- name: name_key
-- Grain: one run from before fingerprints were kept. Purpose: that of its version of the secret, to find pseudonyms by.
UPDATE deid.run SET key_fingerprint = %(key_fingerprint)s
WHERE key_fingerprint = '' AND key_version = %(key_version)s;

-- name: of_interval
-- Grain: one run of an interval. Purpose: which run of the orchestrator did it, who asked for it and why.
SELECT r.run_id, r.triggered_by, r.requested_by, r.reason, r.state, r.started_at, r.finished_at
FROM deid.run AS r
WHERE r.interval_key = %(interval_key)s AND NOT r.dry_run
ORDER BY r.run_id DESC;

-- name: planned
-- Grain: one run. Purpose: tell a person what planning saw for a trigger, dry runs too.
SELECT run_id, interval_key, seen, elsewhere, planned, held, dry_run
FROM deid.run
WHERE triggered_by = %(triggered_by)s;

-- name: publish
-- Grain: one run. Purpose: close the runs of a release.
UPDATE deid.run
SET state = 'published', active_at = now()
WHERE run_id IN (SELECT unnest(r.run_ids) FROM deid.release AS r WHERE r.release_id = %(release_id)s);

-- name: read
-- Grain: one run. Purpose: what a step needs to know of the run it works for.
SELECT run_id, source, interval_key, policy_hash, pipeline_version, detector_version, key_version,
    key_fingerprint, state, models, source_digest, code_digest
FROM deid.run
WHERE run_id = %(run_id)s AND NOT dry_run;

-- name: requesters
-- Grain: one person who asked by hand for one of some runs. Purpose: who may not approve them alone.
SELECT DISTINCT r.requested_by
FROM deid.run AS r
WHERE r.run_id = ANY(%(run_ids)s::bigint[]) AND r.requested_by <> ''
ORDER BY r.requested_by;

-- name: retire
-- Grain: one run. Purpose: an earlier run of the same interval that has nothing left to publish no longer counts:
-- what it failed must not hold back the run that was made to mend it.
UPDATE deid.run AS o
SET state = 'superseded'
FROM deid.run AS n
WHERE
    n.run_id = %(run_id)s
    AND o.interval_key = n.interval_key
    AND o.run_id < n.run_id
    AND o.state = 'staged'
    AND NOT EXISTS (SELECT FROM deid.document AS d WHERE d.run_id = o.run_id AND d.state = 'staged');

-- name: scope
-- Grain: the runs of an interval that were sent back together. Purpose: what one run must ask for to do all of them
-- again: the hull of their intervals; their filters together, none where one of them had none.
WITH back AS (
    SELECT r.interval_start, r.interval_end, r.document_types, r.services
    FROM deid.run AS r
    WHERE r.interval_key = %(interval_key)s AND r.sent_back_at = %(decided_at)s
)

SELECT
    min(b.interval_start) AS interval_start,
    max(b.interval_end) AS interval_end,
    CASE WHEN bool_or(b.document_types = '{}') THEN '{}' ELSE (
        SELECT array_agg(DISTINCT t.name ORDER BY t.name) FROM back AS o, unnest(o.document_types) AS t (name)
    ) END AS document_types,
    CASE WHEN bool_or(b.services = '{}') THEN '{}' ELSE (
        SELECT array_agg(DISTINCT t.name ORDER BY t.name) FROM back AS o, unnest(o.services) AS t (name)
    ) END AS services
FROM back AS b
HAVING count(*) > 0;

-- name: send_back
-- Grain: one staged run. Purpose: nothing of it waits any more; what it failed must not hold back the run that mends
-- it. A run of which an interrupted release has published documents stays theirs.
UPDATE deid.run AS r
SET
    state = CASE WHEN EXISTS (
        SELECT FROM deid.document AS d WHERE d.run_id = r.run_id AND d.state = 'published'
    ) THEN 'published' ELSE 'superseded' END,
    sent_back_at = %(decided_at)s
WHERE r.run_id = ANY(%(run_ids)s::bigint[]) AND r.state = 'staged';

-- name: source
-- Grain: one run. Purpose: which source its documents came from.
SELECT source FROM deid.run WHERE run_id = %(run_id)s;

-- name: staged_intervals
-- Grain: one interval with something staged, the oldest first. Purpose: look for questions that were lost.
SELECT r.interval_key
FROM deid.run AS r
WHERE r.state = 'staged'
GROUP BY r.interval_key
ORDER BY min(r.interval_start), r.interval_key;

-- name: stage
-- Grain: one run. Purpose: close it, with the digest of what it leaves to be published: contents and withdrawals.
-- Whoever approves the interval approves this digest.
UPDATE deid.run AS r
SET
    state = CASE WHEN r.state = 'planned' THEN 'staged' ELSE r.state END,
    finished_at = coalesce(r.finished_at, now()),
    staged_digest = coalesce(r.staged_digest, deid.run_digest(r.run_id))
WHERE r.run_id = %(run_id)s;

-- name: decision_status
-- Grain: one interval. Purpose: what its runs left: those staged, how many are at work, when it was last staged, the
-- end of the interval, whether the schedule asked for it, when it was last published and recalled, and whether
-- researchers read all of it.
SELECT
    count(*) AS runs,
    count(*) FILTER (WHERE r.state = 'planned') AS at_work,
    max(r.finished_at) FILTER (WHERE r.staged_digest IS NOT NULL) AS staged_at,
    max(r.interval_end) AS interval_end,
    coalesce(bool_or(r.triggered_by LIKE 'scheduled\_\_%%'), FALSE) AS scheduled,
    (
        SELECT max(p.published_at) FROM deid.release AS p WHERE p.interval_key = %(interval_key)s
    ) AS published_at,
    (
        SELECT max(k.recalled_at) FROM deid.recall AS k WHERE k.interval_key = %(interval_key)s
    ) AS recalled_at,
    deid.is_read(%(interval_key)s) AS is_read
FROM deid.run AS r
WHERE r.interval_key = %(interval_key)s AND NOT r.dry_run;

-- name: sum_up
-- Grain: one run. Purpose: replace the changes of its tally by their sum.
SELECT deid.sum_changes(%(run_id)s);

-- name: summary
-- Grain: one run. Purpose: its counts, for the tasks that follow and for the steward.
SELECT
    r.interval_key,
    r.run_id,
    r.seen,
    r.planned,
    count(*) FILTER (WHERE d.state IN ('staged', 'published')) AS staged,
    count(*) FILTER (WHERE d.state = 'quarantined') AS quarantined,
    count(*) FILTER (WHERE d.state IN ('planned', 'detected', 'substituted', 'validated')) AS unfinished,
    (SELECT count(*) FROM deid.withdrawal AS w WHERE w.run_id = r.run_id) AS withdrawn,
    r.staged_digest
FROM deid.run AS r
LEFT JOIN deid.document AS d ON r.run_id = d.run_id
WHERE r.run_id = %(run_id)s
GROUP BY r.run_id;

-- name: take_over
-- Grain: one unfinished run. Purpose: declare it dead, so that the next run takes its documents; not while it shows
-- signs of life, unless `confirmed`. No row: it is alive, or finished.
UPDATE deid.run AS r
SET taken_over_at = now()
WHERE
    r.run_id = %(run_id)s
    AND r.state = 'planned'
    AND (%(confirmed)s OR r.active_at < now() - make_interval(secs => %(quiet_s)s))
RETURNING r.run_id;

-- name: touch
-- Grain: one run. Purpose: show that it is alive, so that no other run takes its documents.
UPDATE deid.run SET active_at = now() WHERE run_id = %(run_id)s;

-- name: unfinished
-- Grain: one unfinished run. Purpose: what it holds, and its last sign of life; all of them, or one.
SELECT
    r.run_id,
    r.triggered_by,
    r.interval_key,
    r.active_at,
    r.taken_over_at,
    count(d.document_id) FILTER (
        WHERE d.state IN ('planned', 'detected', 'substituted', 'validated')
    ) AS documents
FROM deid.run AS r
LEFT JOIN deid.document AS d ON r.run_id = d.run_id
WHERE r.state = 'planned' AND (%(run_id)s::bigint IS NULL OR r.run_id = %(run_id)s::bigint)
GROUP BY r.run_id
ORDER BY r.run_id;
