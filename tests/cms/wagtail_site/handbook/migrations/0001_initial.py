"""The two kinds of page, and the home page as the root of the only site, in place of Wagtail's welcome page."""

import django.db.models.deletion
import wagtail.fields
from django.db import migrations, models


def page_pointer():
    return models.OneToOneField(
        auto_created=True,
        on_delete=django.db.models.deletion.CASCADE,
        parent_link=True,
        primary_key=True,
        serialize=False,
        to="wagtailcore.page",
    )


def create_home(apps, schema_editor):
    page, site = apps.get_model("wagtailcore.Page"), apps.get_model("wagtailcore.Site")
    content_type = apps.get_model("contenttypes.ContentType")
    home_type, _ = content_type.objects.get_or_create(model="homepage", app_label="handbook")
    page.objects.filter(depth=2).delete()
    home = apps.get_model("handbook.HomePage").objects.create(
        title="Home",
        draft_title="Home",
        slug="home",
        content_type=home_type,
        path="00010001",
        depth=2,
        numchild=0,
        url_path="/home/",
        locale=apps.get_model("wagtailcore.Locale").objects.get(),
    )
    site.objects.all().delete()
    site.objects.create(hostname="localhost", root_page=home, is_default_site=True)


class Migration(migrations.Migration):
    initial = True
    dependencies = (("wagtailcore", "0098_apitoken"),)
    operations = (
        migrations.CreateModel(
            name="DocPage",
            fields=[("page_ptr", page_pointer()), ("body", wagtail.fields.RichTextField(blank=True))],
            options={"abstract": False},
            bases=("wagtailcore.page",),
        ),
        migrations.CreateModel(
            name="HomePage",
            fields=[("page_ptr", page_pointer())],
            options={"abstract": False},
            bases=("wagtailcore.page",),
        ),
        migrations.RunPython(create_home, migrations.RunPython.noop),
    )
