"""``python tests/support/watched/commands.py JSON``: run commands, lists of a module and arguments, in one process."""

from __future__ import annotations

import json
import sys
from importlib import import_module


def main() -> None:
    for module, *arguments in json.loads(sys.argv[1]):
        print("$", module, *arguments, flush=True)
        code = import_module(module).main(arguments)
        if code:
            raise SystemExit(f"{module} ended with {code}")


if __name__ == "__main__":
    main()
