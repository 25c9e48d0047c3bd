"""What an editor sees and the machine does, without a browser: the tree of pages, and the cron job.

Closed to nobody, because this site is. The tree comes from the database and holds what was never published, too.
"""

from django.core.management import call_command
from django.http import JsonResponse
from django.views.decorators.csrf import csrf_exempt
from wagtail.models import PageViewRestriction

from handbook.models import DocPage


def pages(request):
    restricted = dict(PageViewRestriction.objects.values_list("page_id", "restriction_type"))
    rows = []
    for page in DocPage.objects.order_by("path"):
        rows.append(
            {
                "id": page.pk,
                "parent": page.get_parent().pk,
                "title": page.title,
                "slug": page.slug,
                "url": page.get_full_url(request),
                "live": page.live,
                "alias": page.alias_of_id is not None,
                "scheduled": page.scheduled_revision.pk if page.scheduled_revision else None,
                "restriction": restricted.get(page.pk),
                "revisions": list(page.revisions.order_by("pk").values_list("pk", flat=True)),
            }
        )
    return JsonResponse({"pages": rows})


@csrf_exempt
def cron(request):
    """What the crontab of every Wagtail runs, now."""
    call_command("publish_scheduled")
    return JsonResponse({})
