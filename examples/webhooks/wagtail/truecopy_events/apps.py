from django.apps import AppConfig


class TruecopyEventsConfig(AppConfig):
    name = "truecopy_events"
    verbose_name = "truecopy events"

    def ready(self):
        from truecopy_events import events

        events.connect()
