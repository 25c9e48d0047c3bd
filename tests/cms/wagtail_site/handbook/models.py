from wagtail.admin.panels import FieldPanel
from wagtail.api import APIField
from wagtail.fields import RichTextField
from wagtail.models import Page


class HomePage(Page):
    """The root of the site. It has no text and is not indexed."""


class DocPage(Page):
    """A page of text; pages lie below pages."""

    body = RichTextField(blank=True)
    content_panels = (*Page.content_panels, FieldPanel("body"))
    # A site shows `last_published_at` only if it says so here; without it the list would not show an edit.
    api_fields = (APIField("body"), APIField("last_published_at"))
