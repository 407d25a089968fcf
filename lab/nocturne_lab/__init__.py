"""The laboratory of Nocturne: annotation, training, evaluation and attacks; a night does without it."""

__version__ = "0.4.0"  # of nocturne too
