from django.urls import include, path
from handbook import desk
from wagtail import urls as wagtail_urls
from wagtail.admin import urls as admin_urls
from wagtail.api.v2.router import WagtailAPIRouter
from wagtail.api.v2.views import PagesAPIViewSet
from wagtail.contrib.sitemaps.views import sitemap

api = WagtailAPIRouter("wagtailapi")
api.register_endpoint("pages", PagesAPIViewSet)

urlpatterns = [
    path("admin/", include(admin_urls)),
    path("api/v2/", api.urls),
    path("sitemap.xml", sitemap),
    path("desk/pages/", desk.pages),
    path("desk/cron/", desk.cron),
    path("", include(wagtail_urls)),
]
