-- Whether the person who answers a question in Airflow may decide: Airflow's own permissions do not say.

-- Grain: one answer sent to Airflow's API server about a question, before Airflow takes it: the account, and whether
-- the auth manager lets it decide on releases. An answer from Airflow counts only after a check that says so.
CREATE TABLE deid.answer_right (
    airflow_run text NOT NULL,
    account text NOT NULL,
    may_decide boolean NOT NULL,
    checked_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX answer_right_account ON deid.answer_right (airflow_run, account, checked_at DESC);

-- A question whose task failed or was deleted is lost: the page on which nobody can answer it any more closes it.
ALTER TABLE deid.question
DROP CONSTRAINT question_outcome_check,
ADD CONSTRAINT question_outcome_check CHECK (outcome IN ('approve', 'reject', 'rework', 'stale', 'expired', 'lost'));
GRANT UPDATE (closed_at, outcome) ON deid.question TO nocturne_steward;

GRANT SELECT, INSERT ON deid.answer_right TO nocturne_steward;
GRANT SELECT ON deid.answer_right TO nocturne_publisher;
