"""The first-stage index: built once a corpus, read by everything above."""
