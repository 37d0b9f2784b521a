"""The commands: options in, one call, results printed. ``python -m ltr.train`` and its like end here."""
