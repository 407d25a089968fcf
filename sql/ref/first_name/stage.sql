-- Grain: one first name, sex and generation (null where the year is not said), as often as the file has it.
-- Purpose: COPY lands here; the national file has a line per year.
CREATE TEMPORARY TABLE stage (name text NOT NULL, sex text NOT NULL, generation int, births bigint NOT NULL)
ON COMMIT DROP
