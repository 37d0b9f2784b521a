"""Studies on top of the pipeline."""
