"""What people judged, and how well rankers put it in order."""
