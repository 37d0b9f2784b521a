"""Search APIs and language models on the web. Every answer is cached on disk."""
