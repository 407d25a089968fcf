-- Grain: one opposition by pseudonym. Purpose: its patient at the source, so that it outlives the key.
UPDATE deid.opt_out SET patient_id = %(patient_id)s WHERE opt_out_id = %(opt_out_id)s AND patient_id IS NULL
