"""What a sentence or an argument is like, whatever the question."""
