"""Ablation: the worth of each family of features."""
