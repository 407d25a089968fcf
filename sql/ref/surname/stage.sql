-- Grain: one surname of the file.
-- Purpose: COPY lands here, so that a wrong file touches nothing that anyone reads.
CREATE TEMPORARY TABLE stage (name text NOT NULL, births bigint NOT NULL) ON COMMIT DROP
