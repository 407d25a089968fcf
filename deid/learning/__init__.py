"""Learning from annotated documents, and measuring what was learnt."""
