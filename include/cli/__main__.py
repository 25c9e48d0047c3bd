"""`python -m include.cli`, where the `truecopy` script is not installed."""

from include.cli import app

app()
