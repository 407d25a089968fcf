-- Grain: one activity of a professional, as the directory lists it.
-- Purpose: COPY lands here; a professional with three places of work has three rows.
CREATE TEMPORARY TABLE stage (
    identifier text NOT NULL,
    last_name text NOT NULL,
    first_name text NOT NULL,
    profession text NOT NULL,
    insee text
) ON COMMIT DROP
