-- Grain: published documents of one release and type. Purpose: those of an opposition's pseudonym leave at once.
SELECT w.release_id, w.document_type, w.documents
FROM deid.withdraw_pseudonym(%(opt_out_id)s) AS w
