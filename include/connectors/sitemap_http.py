"""Asks one site: by the address as it is written, politely, with the credential only where it belongs."""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import urlsplit

from include.connectors.credentials import Credentials
from include.connectors.http_session import Answer, HttpSession, Pace, RealPace
from include.connectors.sitemap_address import normal_form
from include.connectors.sitemap_options import SitemapOptions
from include.connectors.sitemap_robots import Robots
from include.domain.errors import SourceUnavailable
from include.ports import Clock

AGENT = "truecopy"
_PAGE = "text/html,application/xhtml+xml;q=0.9,text/plain;q=0.5,*/*;q=0.1"
_ANYTHING = "application/xml,text/xml,text/plain;q=0.9,*/*;q=0.5"
# A bot wall in front of the site is no answer of the site.
_WALLS = ("cf-mitigated", "x-amzn-waf-action", "x-datadome")


def next_hop(answer: Answer, address: str) -> str:
    """Where a redirect leads. Raises ValueError for what is no address."""
    location = answer.headers.get("location", "")
    with suppress(UnicodeError):  # headers are read as Latin-1, and written as UTF-8
        location = location.encode("latin-1").decode()
    return normal_form(location, base=address, is_asked=True)


class SiteHttp:
    """One session per scheme and name of the site. `with_credentials=False` asks as anybody would."""

    def __init__(
        self,
        options: SitemapOptions,
        *,
        clock: Clock,
        credentials: Credentials | None = None,
        pace: Pace | None = None,
    ) -> None:
        self._options = options
        self._site = options.site
        self._clock = clock
        self._pace = pace or RealPace()
        self._own = HttpSession(options.url, limits=options.http, clock=clock, credentials=credentials, pace=self._pace)
        self._credentials = credentials
        self._sessions: dict[tuple[str, str], HttpSession] = {}
        self._robots: Robots | None = None
        self.robots_problem = ""
        self._asked_at: float | None = None
        self.requests = 0

    @property
    def has_credentials(self) -> bool:
        return self._own.has_credentials

    @property
    def account(self) -> str:
        """The login of the credential, never its secret."""
        if not self.has_credentials:
            return "anonymous"
        basic = self._credentials.basic if self._credentials else None
        return (basic[0] if basic else urlsplit(self._options.url).username) or "with a credential"

    def robots(self, *, anew: bool = False) -> Robots:
        """What robots.txt says, asked once until `anew`. A site without one allows everything; raises
        SourceUnavailable when it does not answer. `robots_problem` says why a file that exists could not be read."""
        if self._robots is None or anew:
            answer = self.get_file(f"{self._site.root}robots.txt")
            is_html = answer.body.lstrip()[:1] == b"<"  # what the header calls it is often wrong
            is_read = answer.status == 200 and not is_html
            self._robots = Robots.parse(answer.body.decode("utf-8", "replace"), AGENT) if is_read else Robots()
            what = f"answers {answer.status}" if answer.status != 200 else "is HTML"
            self.robots_problem = "" if is_read or answer.status in (404, 410) else f"robots.txt {what}"
        return self._robots

    def get_file(self, address: str) -> Answer:
        """A sitemap or robots.txt; redirects within the site are followed, five at most."""
        for _ in range(6):
            answer = self._session(address).get(address, conditional=False, accept=_ANYTHING)
            self.requests += 1
            if not 300 <= answer.status < 400 or answer.status == 304:
                return self._checked(answer)
            try:
                address = next_hop(answer, address)
            except ValueError as error:
                raise answer.refused(f"redirects to an address that {error}") from None
        raise answer.refused("redirects more than five times")

    def get_page(self, address: str, *, etag: str = "") -> Answer:
        """The site's own answer, redirects and refusals included. Raises SourceUnavailable."""
        self._wait()
        self.requests += 1
        return self._checked(self._session(address).get(address, conditional=False, accept=_PAGE, etag=etag))

    def is_refused_without_credentials(self, address: str) -> bool:
        session = HttpSession(self._site.root, limits=self._options.http, clock=self._clock, pace=self._pace)
        try:
            return session.get(address, conditional=False, accept=_ANYTHING).status in (401, 403)
        finally:
            session.close()

    def close(self) -> None:
        for session in (self._own, *self._sessions.values()):
            session.close()

    def _session(self, address: str) -> HttpSession:
        parts = urlsplit(address)
        origin = (parts.scheme, parts.netloc)
        if origin == (self._site.scheme, self._site.hosts[0]):
            return self._own
        if parts.netloc not in self._site.hosts:
            raise SourceUnavailable(
                f"{self._site.root} leads to another host, {parts.hostname}; it is not asked "
                "(option hosts, if it is a name of the same site)"
            )
        if origin not in self._sessions:
            # over plain HTTP a credential would be read by everybody on the way
            is_safe = parts.scheme == "https" or self._site.scheme == "http"
            self._sessions[origin] = HttpSession(
                f"{parts.scheme}://{parts.netloc}",
                limits=self._options.http,
                clock=self._clock,
                credentials=self._credentials if is_safe else None,
                pace=self._pace,
            )
        return self._sessions[origin]

    def _wait(self) -> None:
        if self._robots is None or not self._options.obey_robots:
            return
        delay = min(self._robots.crawl_delay, self._options.crawl_delay_max)
        now = self._pace.monotonic()
        if delay and self._asked_at is not None and now < self._asked_at + delay:
            self._pace.sleep(self._asked_at + delay - now)
        self._asked_at = self._pace.monotonic()

    @staticmethod
    def _checked(answer: Answer) -> Answer:
        if answer.status >= 500:
            raise answer.refused(f"answers {answer.status}")
        wall = next((name for name in _WALLS if name in answer.headers), "")
        if answer.status in (401, 403, 405) and (wall or "retry-after" in answer.headers):
            raise answer.refused(f"answers {answer.status} from a bot wall or rate limit ({wall or 'retry-after'})")
        return answer
