"""Search APIs and a tagger on the web. Every answer is cached on disk."""
