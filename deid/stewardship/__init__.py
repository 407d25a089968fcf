"""Stewardship without a page: overview, releases, exports, choices on quarantined documents, and opt-outs."""
