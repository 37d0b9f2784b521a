"""Labels of pairs, from three sources."""
