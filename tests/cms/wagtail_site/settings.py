"""Django settings of the test peer: an ordinary Wagtail, as `wagtail start` makes it, on SQLite.

SITE_FOLDER holds what a running site changes; SITE_ADDRESS is where it listens (127.0.0.1:port).
"""

import os
from pathlib import Path

FOLDER = Path(os.environ["SITE_FOLDER"])
HOST, _, PORT = os.environ.get("SITE_ADDRESS", "127.0.0.1:80").partition(":")

SECRET_KEY = "only for tests"
DEBUG = False
ALLOWED_HOSTS = [HOST]
ROOT_URLCONF = "urls"
WSGI_APPLICATION = "wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "handbook",
    "truecopy_events",
    "wagtail.contrib.redirects",
    "wagtail.sites",
    "wagtail.users",
    "wagtail.documents",
    "wagtail.images",
    "wagtail.search",
    "wagtail.admin",
    "wagtail.api.v2",
    "wagtail",
    "modelcluster",
    "taggit",
    "rest_framework",
    "django_filters",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.sitemaps",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    "handbook.faults.Faults",  # first: in front of everything
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "wagtail.contrib.redirects.middleware.RedirectMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": FOLDER / "site.sqlite3",
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF",
        },
    }
}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # logging in shall not cost half a second
STATIC_URL = "/static/"
STATIC_ROOT = FOLDER / "static"
MEDIA_ROOT = FOLDER / "media"
USE_TZ = True
TIME_ZONE = "America/New_York"  # the API writes times with this offset
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000

WAGTAIL_SITE_NAME = "Handbook"
WAGTAILADMIN_BASE_URL = f"http://{HOST}:{PORT}"
WAGTAIL_WORKFLOW_ENABLED = False
WAGTAIL_ENABLE_UPDATE_CHECK = False
WAGTAILADMIN_COMMENTS_ENABLED = False
WAGTAIL_GRAVATAR_PROVIDER_URL = None
WAGTAILSEARCH_BACKENDS = {"default": {"BACKEND": "wagtail.search.backends.database", "AUTO_UPDATE": False}}
