-- Grain: one commune of the file.
-- Purpose: COPY lands here, so that a wrong file touches nothing that anyone reads.
CREATE TEMPORARY TABLE stage (insee text NOT NULL, level smallint NOT NULL) ON COMMIT DROP
