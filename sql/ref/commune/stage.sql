-- Grain: one row of the file, as read.
-- Purpose: COPY lands here, so that a wrong file touches nothing that anyone reads.
CREATE TEMPORARY TABLE stage (
    insee text NOT NULL,
    name text NOT NULL,
    department text NOT NULL,
    region text NOT NULL,
    zips text[] NOT NULL,
    lon numeric NOT NULL,
    lat numeric NOT NULL,
    population int NOT NULL,
    features jsonb NOT NULL,
    territory text NOT NULL,
    imputed text[] NOT NULL
) ON COMMIT DROP
