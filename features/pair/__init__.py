"""How the two sentences of a pair go together."""
