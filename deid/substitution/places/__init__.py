"""STREET, ZIP, CITY and LOC: drawn places in which an address stays one address."""
