"""What an encoder's vectors say: of the best candidates alone."""
