"""Studies on top of the pipeline."""

import ltr  # noqa: F401 (refuses other packages under the names of ours before a study imports them)
