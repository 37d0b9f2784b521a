"""Figures, studies and ranked texts on one page."""
