-- Grain: the last line of the audit trail. Purpose: its number and its digest, to be kept elsewhere as a seal.
SELECT a.seq, a.digest FROM deid.audit AS a ORDER BY a.seq DESC LIMIT 1
