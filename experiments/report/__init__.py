"""Figures, studies and ranked pairs on one page."""
