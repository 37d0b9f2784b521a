"""Features of a sentence or an argument that do not depend on the question."""
