"""Decisions as pure functions that return their reasons. No I/O, no clock."""
