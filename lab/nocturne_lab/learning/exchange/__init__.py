"""Exchange of annotated documents with annotation tools: formats, checks, sampling, agreement, adjudication."""
