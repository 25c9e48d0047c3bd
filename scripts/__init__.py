"""Runs Airflow on one machine, and talks to it: for `make up`, the demo and the tests."""
