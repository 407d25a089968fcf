-- Grain: one address of the file (or one street, with its number of addresses).
-- Purpose: COPY lands here; PostgreSQL counts, so that a whole country needs no memory of ours.
CREATE TEMPORARY TABLE stage (insee text, name text NOT NULL, addresses int NOT NULL) ON COMMIT DROP
