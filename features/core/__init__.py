"""What a feature is, what it sees, and how it is computed."""
