"""HTTP for reading a source: time-outs, retries, rate limit, size limit, conditional requests. Knows no CMS.

What comes back is an answer of the source itself; whatever is no answer (refused, timed out, cut off, 429 or 5xx
after the last retry) is SourceUnavailable. Redirects are handed back, never followed: behind one is a login page.
Messages name host and path only: a query may carry an API key.
"""

from __future__ import annotations

import email.utils
import json
import random
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC
from http.cookiejar import DefaultCookiePolicy
from typing import Any, Protocol
from urllib.parse import urlsplit, urlunsplit

import requests
from pydantic import BaseModel, ConfigDict, Field
from requests.auth import AuthBase, HTTPBasicAuth

from include.connectors.credentials import Credentials, without_query
from include.connectors.http_deadline import WatchedAdapter, deadline
from include.domain.errors import SourceUnavailable
from include.domain.redaction import redact_address
from include.ports import Clock

_MAY_PASS = frozenset({429, 500, 502, 503, 504})
_CHUNK = 64 * 1024
_PAUSE_HEADERS = ("retry-after", "x-contentful-ratelimit-reset")


class Pace(Protocol):
    """Elapsed time and waiting, so that a test can do both without a real second passing."""

    def monotonic(self) -> float: ...

    def sleep(self, seconds: float) -> None: ...


class RealPace:
    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class HttpLimits(BaseModel):
    """How hard to try, how fast to ask, how much to accept. Times in seconds, sizes in bytes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    connect_timeout: float = Field(default=10, gt=0)
    read_timeout: float = Field(default=30, gt=0)
    total_timeout: float = Field(default=120, gt=0, description="one answer, first to last byte")
    retries: int = Field(default=4, ge=0, le=20)
    backoff: float = Field(default=0.5, gt=0, description="first pause; doubled each time, with jitter")
    backoff_max: float = Field(default=30, gt=0)
    retry_after_max: float = Field(default=60, ge=0, description="a server may ask for more, it does not get it")
    requests_per_second: float = Field(default=10, gt=0)
    burst: int = Field(default=10, ge=1)
    max_bytes: int = Field(default=20_000_000, ge=1)
    etag_cache_bytes: int = Field(default=32_000_000, ge=0)


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer. `where` is its address for messages, without query and user."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    where: str

    def json(self) -> Any:
        """The parsed body. Raises SourceUnavailable unless status, content type and body all say JSON."""
        kind = self.headers.get("content-type", "")
        if 300 <= self.status < 400:
            target = redact_address(self.headers.get("location", ""))
            raise self.refused(f"redirects to {target or 'nowhere'} (a login or installer page?)")
        if self.status != 200:
            raise self.refused(f"answers {self.status}")
        if "json" not in kind.lower():
            raise self.refused(f"answers 200 with {kind or 'no content type'} where JSON was due (login, maintenance?)")
        return self.parsed()

    def parsed(self) -> Any:
        """The body as JSON, whatever the status. Raises SourceUnavailable when it is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            start = self.body[:40].decode("utf-8", "replace")
            raise self.refused(
                f"answers {self.status} with {len(self.body)} bytes that are not JSON, starting {start!r}"
            ) from None

    def refused(self, why: str) -> SourceUnavailable:
        return SourceUnavailable(f"{self.where} {why}", url=self.where, status=self.status)


class _NoNetrc(AuthBase):
    """Without an `auth`, requests looks into ~/.netrc and replaces our own Authorization header."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        return request


class _NoRedirects(requests.Session):
    """requests works out where a redirect leads even if it is told not to follow: it reads the whole body, however
    large, and fails on an address that is none with an error of its own."""

    def resolve_redirects(self, *_args: Any, **_options: Any) -> Iterator[requests.Response]:
        return iter(())


class HttpSession:
    """GET against one source. `base_url` may carry `user:password@`, which is used and never shown."""

    def __init__(
        self,
        base_url: str,
        *,
        limits: HttpLimits,
        clock: Clock,
        credentials: Credentials | None = None,
        pace: Pace | None = None,
    ) -> None:
        parts = urlsplit(base_url)
        host = parts.netloc.rpartition("@")[2]
        self.base_url = urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
        self._origin = (parts.scheme, host)
        self._limits = limits
        self._clock = clock
        self._pace = pace or RealPace()
        self._credentials = credentials or Credentials()
        self._tokens = float(limits.burst)
        self._filled_at = self._pace.monotonic()
        self._remembered: OrderedDict[str, tuple[str, Answer]] = OrderedDict()
        self._session = _NoRedirects()
        self._session.mount("http://", WatchedAdapter())
        self._session.mount("https://", WatchedAdapter())
        self._session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self._session.headers.update(
            {"Accept": "application/json", "User-Agent": "truecopy", **self._credentials.headers}
        )
        basic = self._credentials.basic
        if basic is None and parts.username:
            basic = (parts.username, parts.password or "")
        self._session.auth = HTTPBasicAuth(*(text.encode() for text in basic)) if basic else _NoNetrc()
        self.has_credentials = bool(self._credentials) or basic is not None

    def get(
        self,
        path: str,
        params: Mapping[str, str] | None = None,
        *,
        conditional: bool = True,
        accept: str = "",
        etag: str = "",
    ) -> Answer:
        """Ask for `path` (below the base URL) or an absolute URL of the same origin.

        With `conditional`, an ETag seen earlier is sent along and a 304 is answered from memory. `etag` is one that
        the caller remembers: it is sent instead, and a 304 is handed back. `accept` replaces JSON as what is wished
        for. Raises SourceUnavailable; returns every status below 500 but 429, redirects included.
        """
        url = self._address(path)
        asked = {**(params or {}), **self._credentials.params}
        key = json.dumps([url, sorted(asked.items())])
        remembered = self._remembered.get(key) if conditional and not etag else None
        headers = {"Accept": accept} if accept else {}
        if known := etag or (remembered[0] if remembered else ""):
            headers["If-None-Match"] = known
        answer = self._ask(url, asked, headers)
        if answer.status == 304 and not etag:
            if remembered is None:
                raise answer.refused("answers 304 to a question that was not conditional")
            self._remembered.move_to_end(key)
            return remembered[1]
        shown = answer.headers.get("etag", "")
        if conditional and not etag and answer.status == 200 and shown:
            self._remember(key, shown, answer)
        return answer

    def elapsed(self) -> float:
        """Seconds, by the clock that the pauses go by."""
        return self._pace.monotonic()

    def close(self) -> None:
        self._session.close()
        self._remembered.clear()

    def _address(self, path: str) -> str:
        if "://" not in path and not path.startswith("//"):
            return f"{self.base_url}/{path.lstrip('/')}"
        try:
            parts = urlsplit(path)
        except ValueError:
            shown = redact_address(path)
            raise SourceUnavailable(f"{self.base_url} points to {shown!r:.60}, which is no address") from None
        if (parts.scheme, parts.netloc) != self._origin:  # or our credentials would go to whoever is named there
            raise SourceUnavailable(f"{self.base_url} points to another host, {without_query(path)}; it is not asked")
        return path

    def _ask(self, url: str, params: Mapping[str, str], headers: Mapping[str, str]) -> Answer:
        where = without_query(url)
        for attempt in range(self._limits.retries + 1):
            self._wait_for_a_token()
            try:
                answer = self._once(url, where, params, headers)
            except (requests.RequestException, ValueError) as error:  # ValueError: the address cannot be written
                # The text of the exception holds the full URL, key included: only its kind is told.
                trouble, pause = _kind(error), None
            else:
                if answer.status not in _MAY_PASS:
                    return answer
                trouble, pause = f"answers {answer.status}", self._retry_after(answer)
            if attempt < self._limits.retries:
                self._pace.sleep(pause if pause is not None else self._backoff(attempt))
        raise SourceUnavailable(
            f"{where} {trouble}, {self._limits.retries + 1} times; nothing is known of its documents, try again later",
            url=where,
            attempts=self._limits.retries + 1,
        ) from None

    def _once(self, url: str, where: str, params: Mapping[str, str], headers: Mapping[str, str]) -> Answer:
        total = self._limits.total_timeout
        timeouts = (min(self._limits.connect_timeout, total), min(self._limits.read_timeout, total))
        with (
            deadline(total),
            self._session.get(
                url, params=params, headers=headers, timeout=timeouts, allow_redirects=False, stream=True
            ) as response,
        ):
            body = bytearray()
            for chunk in response.iter_content(_CHUNK):
                body += chunk
                if len(body) > self._limits.max_bytes:
                    raise SourceUnavailable(
                        f"{where} sends more than {self._limits.max_bytes} bytes (limit max_bytes)", url=where
                    )
            names = {name.lower(): value for name, value in response.headers.items()}
            return Answer(response.status_code, names, bytes(body), where)

    def _backoff(self, attempt: int) -> float:
        full = min(self._limits.backoff * 2**attempt, self._limits.backoff_max)
        return float(full * random.uniform(0.5, 1.0))  # many workers must not come back in step

    def _retry_after(self, answer: Answer) -> float | None:
        text = next((answer.headers[name] for name in _PAUSE_HEADERS if name in answer.headers), "").strip()
        if text.isdecimal():
            seconds = float(text)
        else:
            try:
                moment = email.utils.parsedate_to_datetime(text)
            except ValueError:
                return None
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            seconds = (moment - self._clock.now()).total_seconds()
        return min(max(seconds, 0.0), self._limits.retry_after_max)

    def _wait_for_a_token(self) -> None:
        rate, burst = self._limits.requests_per_second, self._limits.burst
        now = self._pace.monotonic()
        self._tokens = min(float(burst), self._tokens + (now - self._filled_at) * rate)
        self._filled_at = now
        if self._tokens < 1:
            pause = (1 - self._tokens) / rate
            self._pace.sleep(pause)
            self._filled_at += pause
            self._tokens = 1
        self._tokens -= 1

    def _remember(self, key: str, etag: str, answer: Answer) -> None:
        self._remembered[key] = (etag, answer)
        self._remembered.move_to_end(key)
        size = sum(len(held.body) for _, held in self._remembered.values())
        while self._remembered and size > self._limits.etag_cache_bytes:
            _, (_, dropped) = self._remembered.popitem(last=False)
            size -= len(dropped.body)


def _kind(error: requests.RequestException | ValueError) -> str:
    if isinstance(error, requests.exceptions.SSLError):
        return "has a certificate that cannot be verified"
    if isinstance(error, requests.Timeout):
        return "did not answer in time"
    if isinstance(error, requests.exceptions.ChunkedEncodingError | requests.exceptions.ContentDecodingError):
        return "broke off in the middle of an answer"
    if isinstance(error, requests.ConnectionError):
        cause = str(error).lower()
        if "timed out" in cause:
            return "did not answer in time"
        return "cannot be resolved (DNS)" if "resolve" in cause or "name or service" in cause else "cannot be reached"
    return f"cannot be asked ({type(error).__name__})"
