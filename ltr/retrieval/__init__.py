"""First stages: from a topic to candidates."""
