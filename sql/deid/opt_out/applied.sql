-- Grain: one opposition. Purpose: the ledger knows it from now on.
UPDATE deid.opt_out SET applied_at = coalesce(applied_at, now()) WHERE opt_out_id = %(opt_out_id)s
