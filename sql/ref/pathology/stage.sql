-- Grain: one count of the file, of every year.
-- Purpose: COPY lands here, so that a wrong file touches nothing that anyone reads.
CREATE TEMPORARY TABLE stage (
    year smallint NOT NULL,
    pathology text NOT NULL,
    department text NOT NULL,
    sex text NOT NULL,
    age text NOT NULL,
    patients bigint,
    population bigint
) ON COMMIT DROP
