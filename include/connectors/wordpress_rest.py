"""The REST API of one WordPress: where it is, and what its refusals mean.

With pretty permalinks it lies below `/wp-json/`, with plain ones behind `?rest_route=`. A refusal of WordPress itself
is JSON with a code; only two codes say anything about a document, every other is the source failing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace

from include.connectors.http_session import Answer, HttpSession
from include.connectors.json_fields import search
from include.connectors.witnesses import Standing
from include.domain.errors import SourceUnavailable

GONE, NOT_PUBLIC = "rest_post_invalid_id", "rest_forbidden"
PAST_THE_END = "rest_post_invalid_page_number"
_HINTS = {
    "rest_no_route": "the site has no such route: is the plugin or theme that defines the type active?",
    "rest_not_logged_in": "a plugin closes the REST API to readers without an account: a credential is needed",
    "rest_login_required": "a plugin closes the REST API to readers without an account: a credential is needed",
    "rest_invalid_param": "WordPress refuses a parameter; is the type a list of documents?",
}


class WordPressRest:
    """GET below the REST root of a site. Routes are written `wp/v2/posts`."""

    def __init__(self, session: HttpSession, style: str, *, first_route: str) -> None:
        self._session = session
        self._is_plain = None if style == "auto" else style == "plain"
        self._first_route = first_route
        self.has_credentials = session.has_credentials

    def get(self, route: str, params: Mapping[str, str]) -> Answer:
        """Raises SourceUnavailable; every answer below 500 is returned, whatever it is."""
        if self._is_plain is None:
            self._is_plain = self._find_plain()
        return self._ask(route, params, is_plain=self._is_plain)

    def standing(self, scope: str) -> Standing:
        """Who WordPress takes us for. A wrong or revoked application password gets 200 and the anonymous list
        everywhere; only this question is answered with 401. `scope` is what is read, for `Standing.scope`."""
        if not self.has_credentials:
            return Standing(True, scope=f"anonymous; {scope}")
        answer = self.get("wp/v2/users/me", {"context": "edit", "_fields": "id,roles,capabilities"})
        if answer.status in (401, 403):
            return Standing(
                False,
                f"{answer.where} answers {answer.status}: the site does not accept the credential (revoked? does the "
                "web server pass the Authorization header on?) and shows us what anybody sees",
            )
        who = answer.json()
        user, roles, capabilities = (search(field, who) for field in ("id", "roles", "capabilities"))
        if not isinstance(user, int) or not isinstance(roles, list) or not isinstance(capabilities, dict):
            raise answer.refused("does not say who we are (id, roles, capabilities)")
        granted = sorted(name for name, is_granted in capabilities.items() if is_granted)
        digest = hashlib.sha256(json.dumps(granted).encode()).hexdigest()[:12]
        named = ",".join(sorted(map(str, roles))) or "no role"
        return Standing(True, scope=f"user {user} ({named}), capabilities {digest}; {scope}")

    def _ask(self, route: str, params: Mapping[str, str], *, is_plain: bool) -> Answer:
        if not is_plain:
            return self._session.get(f"wp-json/{route}", params, conditional=False)
        answer = self._session.get("", {"rest_route": f"/{route}", **params}, conditional=False)
        return replace(answer, where=f"{answer.where} (rest_route /{route})")

    def _find_plain(self) -> bool:
        """Whether the site has plain permalinks: the pretty address answers with a page, the plain one with JSON."""
        params = {"per_page": "1", "_fields": "id"}
        pretty = self._ask(self._first_route, params, is_plain=False)
        if _is_json(pretty):
            return False
        if _is_json(self._ask(self._first_route, params, is_plain=True)):
            return True
        pretty.json()
        raise pretty.refused("is not the REST API of a WordPress")


def code_of(answer: Answer) -> str:
    """The code of a refusal of WordPress itself, "" for anything else."""
    if answer.status == 200 or not _is_json(answer):
        return ""
    code = search("code", answer.parsed())
    return code if isinstance(code, str) else ""


def unanswered(answer: Answer) -> SourceUnavailable:
    """The error for an answer that says nothing about the documents, with WordPress's reason where it gives one."""
    if 300 <= answer.status < 400:
        try:
            answer.json()
        except SourceUnavailable as error:
            return error
    code = code_of(answer)
    reason = f" ({code}{': ' + _HINTS[code] if code in _HINTS else ''})" if code else ""
    return answer.refused(f"answers {answer.status}{reason}")


def _is_json(answer: Answer) -> bool:
    return "json" in answer.headers.get("content-type", "").lower()
