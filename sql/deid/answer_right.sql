-- name: grant
-- Grain: one grant or revocation by an administrator. Purpose: let an account decide without Airflow, or no more.
INSERT INTO deid.answer_right (airflow_run, account, may_decide, granted_by, reason)
VALUES ('', %(account)s, %(may_decide)s, %(granted_by)s, %(reason)s);

-- name: granted
-- Grain: one account. Purpose: what an administrator last granted or revoked.
SELECT DISTINCT ON (c.account) c.account, c.may_decide, c.granted_by, c.reason, c.checked_at
FROM deid.answer_right AS c
WHERE c.granted_by IS NOT NULL
ORDER BY c.account, c.checked_at DESC;

-- name: held
-- Grain: one question and one account. Purpose: whether this person may decide, by the last check since the question
-- was asked; no row if there was none.
SELECT c.may_decide
FROM deid.answer_right AS c
INNER JOIN deid.question AS q ON c.airflow_run = q.airflow_run
WHERE c.airflow_run = %(airflow_run)s AND c.account = %(account)s AND c.checked_at >= q.asked_at
ORDER BY c.checked_at DESC
LIMIT 1;

-- name: latest
-- Grain: one account. Purpose: whether this person may decide, by the last check of the auth manager in `days` or the
-- last grant of an administrator; no row if there was none.
SELECT c.may_decide
FROM deid.answer_right AS c
WHERE
    c.account = %(account)s
    AND (c.granted_by IS NOT NULL OR c.checked_at > now() - make_interval(days => %(days)s))
ORDER BY c.checked_at DESC
LIMIT 1;

-- name: record
-- Grain: one answer about to be given. Purpose: remember whether this person may decide; a question that nobody asked
-- gives no row.
WITH asked AS (
    SELECT q.airflow_run, q.interval_key FROM deid.question AS q WHERE q.airflow_run = %(airflow_run)s
),

kept AS (
    INSERT INTO deid.answer_right (airflow_run, account, may_decide)
    SELECT a.airflow_run, %(account)s, %(may_decide)s FROM asked AS a
)

SELECT a.interval_key FROM asked AS a;
