"""Learning rankers, and knowing how good they are."""
