"""`python -m examples.demo [--docs REPOSITORY] [--down]`, or `make demo`, `make demo DOCS=…`, `make down`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from rich.markup import escape

from examples.demo import company, own_docs
from examples.demo.stage import console, tear_down
from include.domain.errors import TruecopyError
from scripts.airflow_local import AirflowStartError


def main() -> int:
    parser = argparse.ArgumentParser(prog="make demo", description="A real Airflow keeps an index true")
    parser.add_argument("--docs", type=Path, default=os.environ.get("DOCS") or None, help="your own Git repository")
    parser.add_argument("--down", action="store_true", help="stop what a demo left running")
    chosen = parser.parse_args()
    if chosen.down:
        tear_down()
        return 0
    try:
        if chosen.docs:
            own_docs.play(Path(chosen.docs).expanduser().resolve())
        else:
            company.play()
    except (TruecopyError, AirflowStartError, TimeoutError) as error:
        console.print(f"[red]{escape(str(error))}[/]")
        tear_down()
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
