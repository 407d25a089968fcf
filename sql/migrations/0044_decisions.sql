-- The decision on an interval in rows of its own: each answer as it arrives, one at a time, whichever way it takes;
-- rejections that come after an approval; attempts to publish; comments of reviewers; rights that an administrator
-- grants.

-- `missing`: approvals that were still wanted after this one. `blind`: whoever gives them may not know of it.
ALTER TABLE deid.decision
ADD COLUMN missing int NOT NULL DEFAULT 0 CHECK (missing >= 0),
ADD COLUMN blind boolean NOT NULL DEFAULT false;

-- Grain: one decision that may be told: all but those that the next reviewer of their content may not know of, until
-- that one has answered.
CREATE VIEW deid.told_decision WITH (security_invoker = true) AS
SELECT d.*
FROM deid.decision AS d
WHERE
    NOT d.blind
    OR EXISTS (
        SELECT FROM deid.decision AS n
        WHERE
            n.interval_key = d.interval_key AND n.chosen <> 'proposed' AND n.decided_at > d.decided_at
    );
GRANT SELECT ON deid.told_decision TO nocturne_publisher, nocturne_steward;

-- Grain: one answer about a content, at the moment it arrived. `airflow_run`: the question that it answers, empty where
-- none was open. `outcome` is null until the answer is weighed: `weighed` (deid.decision or the audit trail says how),
-- `lost` (its task failed before), `veto` (a rejection that came after another answer and stops the release), `late`
-- (it came after another answer and decides nothing).
CREATE TABLE deid.answer (
    answer_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    interval_key text NOT NULL,
    airflow_run text NOT NULL,
    staged_digest text NOT NULL,
    chosen text NOT NULL CHECK (chosen IN ('approve', 'reject', 'rework')),
    account text NOT NULL,
    reason text NOT NULL,
    sent_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    outcome text CHECK (outcome IN ('weighed', 'lost', 'veto', 'late')),
    login text NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX answer_unweighed ON deid.answer (airflow_run) WHERE outcome IS NULL;
CREATE INDEX answer_interval ON deid.answer (interval_key, sent_at DESC);
CREATE TRIGGER stamped BEFORE INSERT ON deid.answer FOR EACH ROW EXECUTE FUNCTION deid.stamp_login('login');
GRANT SELECT ON deid.answer TO nocturne_publisher, nocturne_steward;
GRANT UPDATE (outcome) ON deid.answer TO nocturne_publisher;

-- Keep an answer that came after another one about this content: `veto` if it rejects or sends back, with a reason,
-- what is staged and not published yet; `late` otherwise. A veto is a rejection: no approval before it counts after.
CREATE FUNCTION deid.keep_answer(
    about text, content text, run text, who text, choice text, why text
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    staged bigint;
    kept text := 'late';
BEGIN
    PERFORM deid.lock_row('decide');
    SELECT max(r.run_id) INTO staged FROM deid.run AS r WHERE r.interval_key = about AND r.state = 'staged';
    IF
        choice <> 'approve' AND why <> '' AND staged IS NOT NULL
        AND EXISTS (SELECT FROM deid.decision AS d WHERE d.interval_key = about AND d.staged_digest = content)
        AND NOT EXISTS (
            SELECT FROM deid.release AS p
            WHERE p.interval_key = about AND p.staged_digest = content AND p.published_at IS NOT NULL
        )
    THEN
        kept := 'veto';
        INSERT INTO deid.decision (interval_key, run_id, chosen, decided_by, reason, staged_digest, decided_at)
        VALUES (about, staged, 'reject', who, why, content, clock_timestamp());
    END IF;
    INSERT INTO deid.answer (interval_key, airflow_run, staged_digest, chosen, account, reason, outcome)
    VALUES (about, run, content, choice, who, why, kept);
    RETURN kept;
END
$$;

-- Take an answer to the question of a run of Airflow, before Airflow does. Until the caller's transaction ends, other
-- answers to this question wait, and so does the task that weighs this one. `verdict`: `taken`; `unasked` (nobody
-- asked, or the question ended without a decision); with the answer that came first, `answered` while that one is on
-- its way to its task, `decided` once the question is closed.
CREATE FUNCTION deid.receive_answer(
    run text, who text, choice text, why text,
    OUT verdict text, OUT about text, OUT content text, OUT first_account text, OUT first_chosen text
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    asked deid.question;
BEGIN
    SELECT q.* INTO asked FROM deid.question AS q WHERE q.airflow_run = run FOR UPDATE;
    about := asked.interval_key;
    content := asked.staged_digest;
    IF asked.airflow_run IS NULL OR asked.outcome IN ('lost', 'expired', 'stale') THEN
        verdict := 'unasked';
        RETURN;
    END IF;
    IF asked.outcome IS NOT NULL THEN
        verdict := 'decided';
        SELECT d.decided_by, d.chosen INTO first_account, first_chosen
        FROM deid.decision AS d
        WHERE d.interval_key = about AND d.staged_digest = content AND d.chosen IN ('approve', 'reject', 'rework')
        ORDER BY d.decided_at DESC
        LIMIT 1;
        RETURN;
    END IF;
    SELECT a.account, a.chosen INTO first_account, first_chosen
    FROM deid.answer AS a
    WHERE a.airflow_run = run AND a.outcome IS NULL;
    verdict := 'answered';
    IF NOT FOUND THEN
        INSERT INTO deid.answer (interval_key, airflow_run, staged_digest, chosen, account, reason)
        VALUES (about, run, content, choice, who, why);
        verdict := 'taken';
    END IF;
END
$$;

-- Grain: one attempt to publish a content of an interval. `life` is a transaction that stays open while the attempt
-- goes on, and ends with the process; `error` is the type of the error that ended it, null after a success.
CREATE TABLE deid.publication (
    publication_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    interval_key text NOT NULL,
    staged_digest text NOT NULL,
    life xid8 NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at timestamptz,
    error text
);
CREATE INDEX publication_interval ON deid.publication (interval_key, publication_id DESC);
GRANT SELECT, INSERT, UPDATE (ended_at, error) ON deid.publication TO nocturne_publisher;
GRANT SELECT ON deid.publication TO nocturne_steward;

-- Grain: one interval that was ever published, or tried to be. Purpose: its last attempt and where it stands:
-- published, publishing or failed. A restored copy may name a transaction to come: no attempt outlasts its task.
CREATE VIEW deid.last_publication WITH (security_invoker = true) AS
SELECT DISTINCT ON (p.interval_key)
    p.interval_key,
    p.staged_digest,
    p.started_at,
    p.error,
    CASE
        WHEN p.ended_at IS NOT NULL AND p.error IS NULL THEN 'published'
        WHEN
            p.ended_at IS NULL AND NOT pg_visible_in_snapshot(p.life, pg_current_snapshot())
            AND p.started_at > now() - interval '25 hours' THEN 'publishing'
        ELSE 'failed'
    END AS state
FROM deid.publication AS p
ORDER BY p.interval_key, p.publication_id DESC;
GRANT SELECT ON deid.last_publication TO nocturne_publisher, nocturne_steward;

-- Where an interval stands, given its state in deid.interval_state: one that waits may be approved once, approved, in
-- the middle of its publication, or have failed to be published; one that people refused may be sent back.
CREATE FUNCTION deid.release_state(about text, state text) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
    SELECT CASE
        WHEN $2 = 'rejected' AND d.chosen = 'rework' THEN 'sent_back'
        WHEN $2 <> 'waiting' OR d.chosen IS DISTINCT FROM 'approve' OR d.decided_at < s.staged_at THEN $2
        WHEN d.missing > 0 THEN 'approved_once'
        WHEN p.started_at >= d.decided_at AND p.state IN ('publishing', 'failed') THEN p.state
        ELSE 'approved'
    END
    FROM (
        SELECT max(r.finished_at) AS staged_at
        FROM deid.run AS r
        WHERE r.interval_key = $1 AND r.state = 'staged'
    ) AS s
    LEFT JOIN LATERAL (
        SELECT o.chosen, o.decided_at, o.missing
        FROM deid.told_decision AS o
        WHERE o.interval_key = $1 AND o.chosen <> 'proposed'
        ORDER BY o.decided_at DESC
        LIMIT 1
    ) AS d ON true
    LEFT JOIN deid.last_publication AS p ON p.interval_key = $1
$$;

-- Grain: one content whose question was lost, and the last time that its release was announced again.
CREATE TABLE deid.question_retry (
    interval_key text NOT NULL,
    staged_digest text NOT NULL,
    retried_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (interval_key, staged_digest)
);
GRANT SELECT, INSERT, UPDATE ON deid.question_retry TO nocturne_publisher;

-- Grain: one comment of a reviewer on a content of an interval; never changed. People who may decide read and write
-- them on the stewards' pages, and nowhere else.
CREATE TABLE deid.release_comment (
    comment_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    interval_key text NOT NULL,
    staged_digest text NOT NULL,
    account text NOT NULL,
    comment text NOT NULL CHECK (length(comment) BETWEEN 1 AND 1000),
    written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    login text NOT NULL DEFAULT ''
);
CREATE INDEX release_comment_interval ON deid.release_comment (interval_key, comment_id DESC);
CREATE TRIGGER stamped BEFORE INSERT ON deid.release_comment
FOR EACH ROW EXECUTE FUNCTION deid.stamp_login('login');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON deid.release_comment
FOR EACH STATEMENT EXECUTE FUNCTION deid.refuse_rewriting();
GRANT SELECT ON deid.release_comment TO nocturne_steward;
GRANT INSERT (interval_key, staged_digest, account, comment) ON deid.release_comment TO nocturne_steward;

-- `granted_by`: the administrator who granted or revoked the right at a command line; null for a check of Airflow's
-- auth manager. What the owner of the database grants holds until it is revoked.
ALTER TABLE deid.answer_right ADD COLUMN granted_by text, ADD COLUMN reason text NOT NULL DEFAULT '';
REVOKE INSERT ON deid.answer_right FROM nocturne_steward;
GRANT INSERT (airflow_run, account, may_decide) ON deid.answer_right TO nocturne_steward;

REVOKE ALL ON FUNCTION deid.keep_answer(text, text, text, text, text, text),
deid.receive_answer(text, text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.keep_answer(text, text, text, text, text, text) TO nocturne_publisher, nocturne_steward;
GRANT EXECUTE ON FUNCTION deid.receive_answer(text, text, text, text) TO nocturne_steward;
