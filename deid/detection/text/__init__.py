"""A document as detection reads it: legible form, folded text and tokens, language, words around mentions."""
