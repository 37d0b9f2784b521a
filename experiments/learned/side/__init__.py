"""Which side of a question a text takes, learned from published data sets."""
