-- Grain: one opposition in force. Purpose: it is lifted; it stays in the table and no longer holds.
UPDATE deid.opt_out
SET revoked_at = now(), revoked_by = %(revoked_by)s, revoked_reason = %(revoked_reason)s
WHERE opt_out_id = %(opt_out_id)s AND revoked_at IS NULL
RETURNING opt_out_id
