"""Human judgments, and how well rankers reproduce their order."""
