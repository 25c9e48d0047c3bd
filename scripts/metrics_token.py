"""Fetches a token of Airflow and puts it where Prometheus reads it. Only Python's library; run it every few hours:

    python3 scripts/metrics_token.py https://airflow.internal /etc/prometheus/airflow-token

Account and password come from AIRFLOW_METRICS_USER and AIRFLOW_METRICS_PASSWORD. The account needs no more than to see
the runs of reconcile_index. The file is replaced whole, or left as it is.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path

TIMEOUT_SECONDS = 30.0


def fetched(url: str, user: str, password: str) -> str:
    """Raises OSError when Airflow does not answer or refuses, ValueError for an answer without a token."""
    asked = urllib.request.Request(
        f"{url.rstrip('/')}/auth/token",
        data=json.dumps({"username": user, "password": password}).encode(),
        headers={"Content-Type": "application/json"},
        method="POST",
    )
    with urllib.request.urlopen(asked, timeout=TIMEOUT_SECONDS) as answer:
        record = json.load(answer)
    token = record.get("access_token") if isinstance(record, dict) else None
    if not isinstance(token, str) or not token:
        raise ValueError("the answer holds no access_token")
    return token


def put(token: str, target: Path) -> None:
    """For owner and group only, unless the file that is there says otherwise."""
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o640), "w", encoding="ascii") as file:  # noqa: PTH123
            file.write(token)
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def main(arguments: list[str], environment: Mapping[str, str]) -> int:
    if len(arguments) != 2 or not arguments[0].startswith(("http://", "https://")):
        print(__doc__, file=sys.stderr)
        return 2
    url, target = arguments[0], Path(arguments[1])
    user, password = environment.get("AIRFLOW_METRICS_USER", ""), environment.get("AIRFLOW_METRICS_PASSWORD", "")
    if not user or not password:
        print("AIRFLOW_METRICS_USER and AIRFLOW_METRICS_PASSWORD must be set", file=sys.stderr)
        return 2
    try:
        put(fetched(url, user, password), target)
    except urllib.error.HTTPError as error:
        print(f"{url} refused: {error.code} {error.reason}; {target} is as it was", file=sys.stderr)
        return 1
    except (OSError, ValueError) as error:
        print(f"no token from {url}: {error}; {target} is as it was", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
