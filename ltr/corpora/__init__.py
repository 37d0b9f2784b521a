"""Arguments and their sentences, streamed from the formats in which they are published."""
