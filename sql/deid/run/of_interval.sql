-- Grain: one run of an interval. Purpose: which run of the orchestrator did it, who asked for it and why.
SELECT r.run_id, r.triggered_by, r.requested_by, r.reason, r.state, r.started_at, r.finished_at
FROM deid.run AS r
WHERE r.interval_key = %(interval_key)s AND NOT r.dry_run
ORDER BY r.run_id DESC
