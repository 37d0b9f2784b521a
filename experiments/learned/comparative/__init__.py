"""Trainers of what understands comparative questions and comparing sentences."""
