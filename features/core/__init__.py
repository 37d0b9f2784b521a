"""Features: their declaration, their input, and their computation."""
