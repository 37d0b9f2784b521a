"""Trainers of the weights in `features.learned` and `features.language`: maintainers' tools, not part of the wheel."""
