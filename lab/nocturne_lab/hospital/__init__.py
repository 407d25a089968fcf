"""Reading of a hospital for the laboratory: documents of its source, samples of its releases, texts that may leave."""
