from django.apps import AppConfig


class HandbookConfig(AppConfig):
    name = "handbook"
    label = "handbook"

    def ready(self):
        from handbook import events

        events.connect()
