"""Nightly steps over `deid.warehouse` and `deid.pipeline`, and the runtime resources of a process."""
