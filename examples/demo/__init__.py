"""`make demo`: the two incidents, one night and an outage, on a real Airflow, in about four minutes."""
