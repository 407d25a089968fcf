"""PHONE, EMAIL and URL."""
