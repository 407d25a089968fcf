-- name: keep
-- Grain: one answer that came after another. Purpose: keep it; a rejection of what is not published yet is a veto.
SELECT deid.keep_answer(
    %(interval_key)s, %(staged_digest)s, %(airflow_run)s, %(account)s, %(chosen)s, %(reason)s
) AS outcome;

-- name: late
-- Grain: one rejection that came after the last publication of what it is about. Purpose: propose a recall.
SELECT a.account, a.chosen, a.reason, a.sent_at
FROM deid.answer AS a
INNER JOIN deid.release AS p ON a.interval_key = p.interval_key AND a.staged_digest = p.staged_digest
WHERE
    a.interval_key = %(interval_key)s AND a.outcome = 'late' AND a.chosen <> 'approve'
    AND p.published_at IS NOT NULL AND a.sent_at >= p.published_at
    AND NOT EXISTS (
        SELECT FROM deid.recall AS k WHERE k.interval_key = a.interval_key AND k.recalled_at >= a.sent_at
    )
ORDER BY a.answer_id DESC;

-- name: receive
-- Grain: one answer to a question. Purpose: take it, or say which answer came first.
SELECT r.verdict, r.about, r.content, r.first_account, r.first_chosen
FROM deid.receive_answer(%(airflow_run)s, %(account)s, %(chosen)s, %(reason)s) AS r;

-- name: unweighed
-- Grain: one answer that was received and is on its way to the task that weighs it. Purpose: the one that came first;
-- a task that has not weighed it within an hour is taken for stopped.
SELECT a.account, a.chosen, a.sent_at
FROM deid.answer AS a
WHERE a.interval_key = %(interval_key)s AND a.staged_digest = %(staged_digest)s AND a.outcome IS NULL
    AND a.received_at BETWEEN now() - interval '1 hour' AND now() + interval '1 hour'
ORDER BY a.answer_id
LIMIT 1;

-- name: vetoes
-- Grain: one veto on a content. Purpose: what was said while an answer that came before was on its way to its task.
SELECT a.account, a.reason
FROM deid.answer AS a
WHERE
    a.interval_key = %(interval_key)s AND a.staged_digest = %(staged_digest)s AND a.outcome = 'veto'
    AND a.sent_at > %(sent_at)s
ORDER BY a.answer_id;

-- name: weigh
-- Grain: one answer. Purpose: its task has weighed it; another person may answer.
UPDATE deid.answer SET outcome = 'weighed' WHERE airflow_run = %(airflow_run)s AND outcome IS NULL;

-- name: sent
-- Grain: one answer to the question of a run. Purpose: when the one that is being weighed arrived.
SELECT a.sent_at FROM deid.answer AS a WHERE a.airflow_run = %(airflow_run)s AND a.outcome IS NULL;
