"""Numbers and alarms, derived from manifests, and for webhooks from what came through the door."""
