"""Puts adapters into services. The only package that may import Airflow, and only where a function needs it."""
