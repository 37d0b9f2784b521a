"""From a ranked list to what a person reads: search, sides, main points and explanations."""
