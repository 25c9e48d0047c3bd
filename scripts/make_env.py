"""Writes .env for docker-compose.yaml: .env.example with random secrets filled in. Needs only Python's library."""

from __future__ import annotations

import base64
import secrets
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]

MAKE = {
    "POSTGRES_PASSWORD": lambda: secrets.token_hex(24),
    "REDIS_PASSWORD": lambda: secrets.token_hex(24),
    "QDRANT_API_KEY": lambda: secrets.token_hex(24),
    "AIRFLOW_FERNET_KEY": lambda: base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
    "AIRFLOW_JWT_SECRET": lambda: secrets.token_hex(64),
    "AIRFLOW_SECRET_KEY": lambda: secrets.token_hex(32),
    "AIRFLOW_ADMIN_PASSWORD": lambda: secrets.token_urlsafe(16),
    "TRUECOPY_API_KEYS": lambda: f"assistant:{secrets.token_urlsafe(32)}",
    "TRUECOPY_METRICS_API_KEY": lambda: secrets.token_urlsafe(32),
    "GRAFANA_ADMIN_PASSWORD": lambda: secrets.token_urlsafe(16),
}


def filled_in(example: str) -> str:
    """The text of .env.example with a value for every empty variable. Raises KeyError for one we cannot make."""
    lines = []
    for line in example.splitlines():
        name, equals, value = line.partition("=")
        if equals and not value and not line.startswith("#"):
            line = f"{name}={MAKE[name]()}"
        lines.append(line)
    return "\n".join(lines) + "\n"


def main(project: Path = PROJECT) -> int:
    target = project / ".env"
    try:
        target.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        print(f"{target} exists and is left as it is: its secrets belong to data that exists", file=sys.stderr)
        return 1
    target.write_text(filled_in((project / ".env.example").read_text()))
    print(f"wrote {target}; the password of `admin` is in it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
