"""Search APIs and language models on the web. Every answer is cached on disk."""

KEY_VARIABLE = "RIPOSTE_API_KEY"
"""The environment's variable with the key of a chat endpoint."""
