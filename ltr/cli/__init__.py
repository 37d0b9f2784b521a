"""Options and terminal output that commands share."""
