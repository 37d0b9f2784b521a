"""How good a run is, and how sure that is."""
