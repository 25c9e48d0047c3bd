"""The settings, validated on load. An error names file, key, value and what is allowed.

`config/truecopy.yaml` may use `${NAME}` and `${NAME:-default}`; they are replaced from the environment passed in.
Credentials never live in the file: sources and the store name an Airflow Connection (`conn_id`).
"""

from include.settings.answers import ApiSettings, EvaluationSettings, QueryLogSettings, RankingSettings, WordSettings
from include.settings.installation import (
    SOURCE_NAME,
    EmbeddingSettings,
    ErasureSettings,
    NotifierSettings,
    Settings,
    StoreSettings,
)
from include.settings.judging import FamilySettings, ReviewSettings, StalenessSettings
from include.settings.loading import explain, load_settings
from include.settings.sources import HmacSettings, LimitSettings, PurgeSettings, SourceSettings, WebhookSettings

__all__ = [
    "SOURCE_NAME",
    "ApiSettings",
    "EmbeddingSettings",
    "ErasureSettings",
    "EvaluationSettings",
    "FamilySettings",
    "HmacSettings",
    "LimitSettings",
    "NotifierSettings",
    "PurgeSettings",
    "QueryLogSettings",
    "RankingSettings",
    "ReviewSettings",
    "Settings",
    "SourceSettings",
    "StalenessSettings",
    "StoreSettings",
    "WebhookSettings",
    "WordSettings",
    "explain",
    "load_settings",
]
