"""Merging: one mention per place from the votes of all annotators, and the evidence that decides between kinds."""
