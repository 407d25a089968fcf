"""Training on annotated documents, and measurement of the trained models."""
