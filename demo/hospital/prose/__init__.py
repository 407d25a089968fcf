"""French clinical prose: a small grammar, its slots, and templates as data."""
