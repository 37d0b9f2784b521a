"""Features of an encoder's vectors, for the best candidates alone."""
