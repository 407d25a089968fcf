-- Grain: one line of La Poste's file.
-- Purpose: COPY lands here, so that a wrong file touches nothing that anyone reads.
CREATE TEMPORARY TABLE stage (insee text NOT NULL, zip text NOT NULL, label text NOT NULL, line text NOT NULL)
ON COMMIT DROP
