"""Which run is better, and is it luck."""
