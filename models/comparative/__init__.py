"""Named rankers of documents that answer comparative questions: floors, and recipes of the lab's systems."""
