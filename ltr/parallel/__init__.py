"""Work shared out to processes or machines."""
