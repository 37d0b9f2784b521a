"""Folders of trained models: written, checked and chosen."""
