-- name: of_source
-- Grain: one patient of the source. Purpose: the opt-outs recorded by this id, and the ledger's id.
SELECT o.opt_out_ids, o.patient_id FROM identity.opt_outs_of(%(source_id)s) AS o;

-- name: record
-- Grain: one opt-out by the source's patient id. Purpose: keep the patient; null where the number is another's already.
SELECT identity.record_opt_out(%(opt_out_id)s, %(source_id)s) AS is_kept;

-- name: resolve
-- Grain: one opt-out by the source's patient id. Purpose: its patient in the ledger, made if it was never met.
SELECT r.opt_out_id, r.patient_id FROM identity.resolve_opt_outs(%(opt_out_ids)s::bigint[]) AS r;
