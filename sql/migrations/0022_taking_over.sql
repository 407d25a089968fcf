-- Nights held by a run that died: which other runs held documents when a run was planned, and when a person declared a
-- run dead. A run that shows a later sign of life (active_at) is no longer dead.

-- held: [{"run_id", "triggered_by", "active_at", "documents"}], as planning found them.
ALTER TABLE deid.run
ADD COLUMN held jsonb NOT NULL DEFAULT '[]',
ADD COLUMN taken_over_at timestamptz;

GRANT UPDATE (held, taken_over_at) ON deid.run TO nocturne_worker;
