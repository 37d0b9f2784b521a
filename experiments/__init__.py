"""Studies on top of the pipeline."""

import ltr  # noqa: F401 (leaves out the working directory before a study imports anything)
