-- Grain: one run. Purpose: which code planned it: SHA-256 of the library's files, so that two workers with other code
-- under one version are told apart. Empty: a run from before.
ALTER TABLE deid.run
ADD COLUMN code_digest text NOT NULL DEFAULT '';
