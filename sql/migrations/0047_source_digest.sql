-- Grain: one run. Purpose: which contract of the source, and which version of the orchestrator's DAG, it was planned
-- with: SHA-256 of the queries and rules of files; the DAG's name and version. Empty: a run from before, or no DAG.
ALTER TABLE deid.run
ADD COLUMN source_digest text NOT NULL DEFAULT '',
ADD COLUMN dag_version text NOT NULL DEFAULT '';
