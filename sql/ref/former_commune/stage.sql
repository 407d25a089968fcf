-- Grain: one former name.
-- Purpose: COPY lands here, so that a wrong file touches nothing that anyone reads.
CREATE TEMPORARY TABLE stage (name text NOT NULL, insee text) ON COMMIT DROP
