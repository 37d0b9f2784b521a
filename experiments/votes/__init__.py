"""Label models compared on votes whose truth is known."""
