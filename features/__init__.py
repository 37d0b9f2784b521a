"""Features of sentence pairs: one file a family, one registry."""
