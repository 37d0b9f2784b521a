"""How a text answers the question."""
