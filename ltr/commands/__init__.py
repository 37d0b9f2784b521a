"""The commands: settings in, one call, results printed. ``riposte train`` and its like end here."""
