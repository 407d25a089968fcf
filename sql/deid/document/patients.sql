-- Grain: one patient of the source. Purpose: all that the ledger knows, to find those whose pseudonym objected.
SELECT DISTINCT patient_id
FROM deid.document
WHERE patient_id IS NOT NULL
