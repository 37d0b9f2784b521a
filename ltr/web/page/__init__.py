"""Parts of the page."""
