"""An editor of a real Ghost, with the actions that `tests.fakes.cms_editors.CmsModel` has."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import requests

from tests.fakes.cms_models import GhostModel
from tests.preset_sites import LIVING, TickingClock

SCHEDULE_SECONDS = 125  # Ghost takes nothing that is due within two minutes


class WallClock(TickingClock):
    """Real time. A turn waits until another second, or until what is scheduled for these days is due."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def turn(self, hours: float) -> None:
        time.sleep(SCHEDULE_SECONDS + 10 if hours >= 48 else 2.2)


class RealGhost(GhostModel):
    """Edits through the Admin API of `url` with an integration's key (`id:secret`). Deletes every post at first."""

    def __init__(self, url: str, admin_key: str, content_key: str) -> None:
        super().__init__(WallClock(), key=content_key)
        self._api = f"{url}/ghost/api/admin"
        self._key_id, self._secret = admin_key.split(":")
        self._ids: dict[int, str] = {}
        for post in self._ask("GET", "posts/?limit=100&fields=id")["posts"]:
            self._ask("DELETE", f"posts/{post['id']}/")
        for number in range(LIVING):
            given = {"title": f"Title {number}", "html": "<p>nothing yet</p>", "tags": [{"name": f"tag {number}"}]}
            self._ids[number] = self._ask("POST", "posts/?source=html", {"posts": [given]})["posts"][0]["id"]

    def name(self, number: int) -> str:  # type: ignore[override]  # Ghost gives the ids
        return self._ids[number]

    def write(self, doc_id: str, text: str, **_: Any) -> None:  # type: ignore[override]
        self.edit(doc_id, text=text)

    def edit(self, doc_id: str, **changes: Any) -> None:
        if "text" in changes:
            changes["html"] = f"<p>{changes.pop('text')}</p>"
        post = self._ask("GET", f"posts/{doc_id}/")["posts"][0]
        given = {"updated_at": post["updated_at"], **changes}
        self._ask("PUT", f"posts/{doc_id}/?source=html", {"posts": [given]})

    def publish(self, doc_id: str, **changes: Any) -> None:
        self.edit(doc_id, status="published", **changes)

    def unpublish(self, doc_id: str) -> None:
        self.edit(doc_id, status="draft")

    def restrict(self, doc_id: str, audience: Any) -> None:
        self.edit(doc_id, visibility=audience or "public")

    def delete(self, *doc_ids: str) -> None:
        for doc_id in doc_ids:
            self._ask("DELETE", f"posts/{doc_id}/")

    def schedule(self, doc_id: str, *, live: float | None = None, down: float | None = None) -> None:
        assert live is not None, "nothing expires in Ghost"
        lead = timedelta(seconds=SCHEDULE_SECONDS) if live < 10 else timedelta(days=live)
        due = (datetime.now(UTC) + lead).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        self.edit(doc_id, status="scheduled", published_at=due)

    def send_by_mail(self, doc_id: str) -> None:
        post = self._ask("GET", f"posts/{doc_id}/")["posts"][0]
        given = {"updated_at": post["updated_at"], "status": "published", "email_only": True}
        sent = self._ask("PUT", f"posts/{doc_id}/?newsletter=default-newsletter", {"posts": [given]})
        assert sent["posts"][0]["status"] == "sent"

    def rename_tag(self, doc_id: str) -> None:
        (tag,) = self._ask("GET", f"posts/{doc_id}/?include=tags")["posts"][0]["tags"]
        self._ask("PUT", f"tags/{tag['id']}/", {"tags": [{"name": "renamed", "updated_at": tag["updated_at"]}]})

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        now = int(time.time())
        claims = {"iat": now, "exp": now + 60, "aud": "/admin/"}
        token = jwt.encode(claims, bytes.fromhex(self._secret), algorithm="HS256", headers={"kid": self._key_id})
        headers = {"Authorization": f"Ghost {token}", "Accept-Version": "v5.0"}
        answer = requests.request(method, f"{self._api}/{path}", json=body, headers=headers, timeout=60)
        assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text[:300]}"
        return json.loads(answer.content) if answer.content else None
