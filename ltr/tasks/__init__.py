"""Tasks: what is ranked. Each has a room, a package here, with everything that it alone needs."""
