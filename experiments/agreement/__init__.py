"""``riposte agreement``: how far graders agree, from qrels or votes on the same items."""
