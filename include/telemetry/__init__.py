"""Numbers and alarms, derived from manifests only."""
