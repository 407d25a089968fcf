-- A ledger that was restored from an older copy counts its opt-outs anew, beside ids that are newer: a number that they
-- know is said to be taken, so that the opt-out takes the next one.
DROP FUNCTION identity.record_opt_out(bigint, text);

-- Keeps the patient of an opt-out by the hospital's id, known or not, and says so; null where the number is taken.
CREATE FUNCTION identity.record_opt_out(opt_out_id bigint, source_id text) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
    INSERT INTO identity.opt_out (opt_out_id, source_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING true
$$;
REVOKE ALL ON FUNCTION identity.record_opt_out(bigint, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION identity.record_opt_out(bigint, text) TO nocturne_steward;
