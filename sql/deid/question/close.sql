-- Grain: one question. Purpose: it waits no more, and this is how it ended.
UPDATE deid.question SET closed_at = now(), outcome = %(outcome)s
WHERE airflow_run = %(airflow_run)s AND closed_at IS NULL
