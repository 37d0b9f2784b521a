"""Time, memory and disk as a corpus grows."""
