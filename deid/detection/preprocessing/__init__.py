"""Language, case and parts of speech of a text."""
