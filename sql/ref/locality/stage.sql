-- Grain: one lieu-dit of the file.
-- Purpose: COPY lands here, so that a wrong file touches nothing that anyone reads.
CREATE TEMPORARY TABLE stage (insee text NOT NULL, name text NOT NULL) ON COMMIT DROP
