"""The ledger: runs, batches and their steps, ids and pseudonyms, opt-outs, models, the audit trail."""
