"""``riposte collect``: result lists of ChatNoir."""
