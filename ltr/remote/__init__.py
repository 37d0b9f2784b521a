"""Sources behind an interface on the web: search, and what others say of a text. Every answer is kept on disk."""
