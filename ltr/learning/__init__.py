"""Labels of items from all sources, rankers that learn them, and knowing how good these are."""
