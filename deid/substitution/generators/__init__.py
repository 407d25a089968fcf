"""Generators of contacts, identifiers and organisations, and masking generators that a policy may choose."""
