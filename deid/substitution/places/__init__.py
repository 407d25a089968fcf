"""STREET, ZIP, CITY and LOC: places drawn so that an address stays one address."""
