"""What commands share: options, and what a terminal shows."""
