"""What features are worth."""
