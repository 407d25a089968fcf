-- Grain: one establishment of the file.
-- Purpose: COPY lands here, so that a wrong file touches nothing that anyone reads.
CREATE TEMPORARY TABLE stage (finess text NOT NULL, name text NOT NULL, insee text NOT NULL, kind text NOT NULL)
ON COMMIT DROP
