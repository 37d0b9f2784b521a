"""What indexing needs on more machines, computed from measured steps."""
