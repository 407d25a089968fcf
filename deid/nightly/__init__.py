"""Nightly steps over the ledger, the source and `deid.pipeline`, and the runtime resources of a process."""
