"""The words by which a question says which version it is about. One vocabulary a language; the rules are the same.

Phrases are lower case, words separated by one blank. A phrase may hold a slot: `{thing}` stands for a word that names
a kind of document (deck, policy), in singular or plural as listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Word lists of one language, or of several laid over each other.

    `latest`, `history`   phrases that state the intent
    `latest_not_before`   words that make the phrase in front of them a part of the topic (the current directory)
    `latest_not_after`    words that make the phrase behind them a part of the topic (alternating current)
    `said_of`             words behind which the phrase is said of something and names nothing, if one of `at` follows
                          ("which policy is current on leave")
    `negations`           words that take back a phrase shortly behind them, unless a word of `not_negating` follows
    `things`              names of kinds of documents
    `no_qualifiers`       words that cannot stand between such a phrase and the thing ("all our sales decks" are decks,
                          "every time a page" is not about a page)
    `at`, `until`, `from_` what stands in front of a period: within it, before its start or end, from its start on
    `months`              name -> 1..12
    `last`, `ago`         "last year", "two years ago"; `units` names the years, quarters, months, weeks, days
    """

    latest: tuple[str, ...] = ()
    latest_not_before: frozenset[str] = frozenset()
    latest_not_after: frozenset[str] = frozenset()
    said_of: frozenset[str] = frozenset()
    history: tuple[str, ...] = ()
    negations: frozenset[str] = frozenset()
    not_negating: frozenset[str] = frozenset()
    things: frozenset[str] = frozenset()
    no_qualifiers: frozenset[str] = frozenset()
    articles: frozenset[str] = frozenset()
    at: tuple[str, ...] = ()
    until: tuple[str, ...] = ()
    from_: tuple[str, ...] = ()
    months: Mapping[str, int] = field(default_factory=dict)
    last: tuple[str, ...] = ()
    ago: tuple[str, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)

    def __or__(self, other: Vocabulary) -> Vocabulary:
        """Both languages at once, for questions that may come in either."""
        return replace(
            self,
            latest=self.latest + other.latest,
            latest_not_before=self.latest_not_before | other.latest_not_before,
            latest_not_after=self.latest_not_after | other.latest_not_after,
            said_of=self.said_of | other.said_of,
            history=self.history + other.history,
            negations=self.negations | other.negations,
            not_negating=self.not_negating | other.not_negating,
            things=self.things | other.things,
            no_qualifiers=self.no_qualifiers | other.no_qualifiers,
            articles=self.articles | other.articles,
            at=self.at + other.at,
            until=self.until + other.until,
            from_=self.from_ + other.from_,
            months={**self.months, **other.months},
            last=self.last + other.last,
            ago=self.ago + other.ago,
            units={**self.units, **other.units},
            numbers={**self.numbers, **other.numbers},
        )


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}

ENGLISH = Vocabulary(
    latest=(
        "latest",
        "most recent",
        "most recently",
        "most current",
        "most up to date",
        "newest",
        "up to date",
        "current",
        "currently",
        "as of today",
        "as of now",
        "right now",
        "now",
        "nowadays",
        "today",
        "these days",
        "at the moment",
        "at present",
        "presently",
        "recent",
        "still",
        "last version",
        "last release",
        "in force",
        "in effect",
        # an office is asked for in the present: who holds it now
        "who is the",
        "who's the",
        "who is our",
        "who's our",
        "who are the",
        "who are our",
    ),
    latest_not_before=_set(
        # the topic, not the wish: what a program, a circuit or a balance sheet calls current
        "directory folder working user users thread process context state node scope session row column line cell "
        "time timestamp date branch commit selection account assets asset liabilities ratio density flow rating "
        "draw limit limits limiter sensor transformer leakage voltage source sources loop divider mirror tag tags "
        "image images on"
    ),
    latest_not_after=_set(
        "direct alternating electric electrical ac dc inrush leakage eddy ocean water rip drain base collector"
    ),
    said_of=_set("is are be being remains"),
    history=(
        "all versions",
        "every version",
        "each version",
        "all revisions",
        "all editions",
        "all {thing}",
        "all our {thing}",
        "all of our {thing}",
        "all the {thing}",
        "all of the {thing}",
        "all your {thing}",
        "all my {thing}",
        "every {thing}",
        "version history",
        "revision history",
        "change history",
        "history of changes",
        "history of the {thing}",
        "history of this {thing}",
        "history of our {thing}",
        "previous {thing}",
        "previous version",
        "previously",
        "prior {thing}",
        "prior version",
        "older {thing}",
        "older version",
        "older versions",
        "old {thing}",
        "old version",
        "old versions",
        "earlier {thing}",
        "earlier version",
        "earlier versions",
        "former {thing}",
        "former version",
        "original {thing}",
        "outdated {thing}",
        "superseded {thing}",
        "retired {thing}",
        "obsolete {thing}",
        "what changed since",
        "what has changed since",
        "what's changed since",
        "changed since",
        "changes since",
        "what changed between",
        "changes between",
        "what changed from",
        "over time",
        "over the years",
        "used to",
        "no longer current",
        "before the change",
        "before the update",
    ),
    negations=_set("not never no without except isn't aren't don't doesn't wasn't than excluding ignore"),
    not_negating=_set("only just sure"),
    things=_set(
        "deck decks slides presentation presentations policy policies version versions edition editions release "
        "releases document documents doc docs page pages guide guides guideline guidelines handbook handbooks manual "
        "manuals report reports agreement agreements contract contracts terms template templates form forms memo memos "
        "newsletter newsletters article articles faq faqs roadmap roadmaps spec specs specification specifications "
        "procedure procedures checklist checklists playbook playbooks plan plans price pricelist price-list notes "
        "announcement announcements rules rulebook draft drafts proposal proposals revision revisions copy "
        "copies list lists"
    ),
    no_qualifiers=_set(
        "a an the this that these those my our your his her its their i you he she it we they who which what and or "
        "but not no of in on at to by for from with without about as is are was were be been has have had do does did "
        "can could may might must should will would time times day days week weeks month months year years if when "
        "where how"
    ),
    articles=_set("the our your my this that a an their its"),
    at=(
        "as of",
        "in early",
        "in late",
        "in mid",
        "in",
        "during",
        "back in",
        "on",
        "for",
        "from",
        "at the end of",
        "at the start of",
    ),
    until=("before", "until", "till", "up to", "prior to", "not after", "no later than"),
    from_=("since", "after", "starting in", "starting"),
    months=_MONTHS,
    last=("last", "the last", "previous", "the previous"),
    ago=("ago",),
    units={
        "year": "year",
        "years": "year",
        "quarter": "quarter",
        "quarters": "quarter",
        "month": "month",
        "months": "month",
        "week": "week",
        "weeks": "week",
        "day": "day",
        "days": "day",
    },
    numbers={"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10, "twelve": 12},
)
