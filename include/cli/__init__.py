"""`truecopy`: one module for each group of commands."""

from include.cli import families, metadata, plans, runs, search, serving, state
from include.cli.command import EXIT, app

__all__ = ["EXIT", "app", "families", "metadata", "plans", "runs", "search", "serving", "state"]
