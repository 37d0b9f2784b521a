"""SciPy's sparse matrices. SciPy copies all that numpy has by name, and to look at numpy.f2py and numpy.testing is to
import them, for a twelfth of the time of a short command: here it does not see them.
"""

from __future__ import annotations

import numpy as np

_UNUSED = {name: None for name in ("f2py", "testing") if name not in vars(np)}
vars(np).update(_UNUSED)
from scipy.sparse import csr_matrix  # noqa: E402

for _name in _UNUSED:
    delattr(np, _name)

__all__ = ["csr_matrix"]
