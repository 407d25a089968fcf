"""Training of transformers: an encoder of our own or another's, taught to tag; and the search for its settings."""
