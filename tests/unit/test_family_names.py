"""Names as people write them: which version is newer, what is one family, what only looks like a version."""

from __future__ import annotations

import pytest

from include.domain.documents import DocumentKey
from include.families.grouping import group
from include.families.members import Member
from include.families.names import Channel, read_name
from include.families.versions import Kind, compare, parse_version

OLDER_NEWER = [
    # numbers
    ("v9", "v10"),
    ("1.9", "1.10"),
    ("v1.9", "1.10"),
    ("1.30", "1.30.1"),
    ("1.9.9", "2.0"),
    ("0.9.x", "0.10.x"),
    ("4.2.x", "5.0"),
    ("4.2.9", "4.3.x"),
    ("V2", "v2.1"),
    ("version 2", "Version 3"),
    ("version-1.0.0", "version-1.0.1"),
    ("v1_9", "v1_10"),
    ("v1-2", "v1-10"),
    ("release-1.28", "release-1.29"),
    ("ver. 3", "ver 4"),
    ("8u202", "8u211"),
    ("8u202", "11.0.2"),
    ("20.04", "22.04"),
    ("22.04", "22.04.1"),
    ("9.10.3", "9.11"),
    ("3", "12"),
    ("0.0.0.2", "0.0.1"),
    ("2.9.0", "2.9.0.post1"),
    ("3.1.0", "3.1.0-p2"),
    # before a release
    ("2.0-preview", "2.0"),
    ("v2.0-preview", "v2.0.0"),
    ("v2.0.0-preview", "v2.0"),
    ("2.0rc1", "2.0"),
    ("1.21rc1", "1.21.1"),
    ("2.5rc1", "2.5rc3"),
    ("2.5rc3", "2.5"),
    ("1.1.0-rc.1", "1.1.0"),
    ("1.1rc1", "1.1.0"),
    ("1.0-alpha", "1.0-beta"),
    ("1.0-beta", "1.0"),
    ("1.0.0-alpha", "1.0.0-alpha.1"),
    ("1.0.0-alpha.1", "1.0.0-alpha.beta"),
    ("1.0.0-alpha.beta", "1.0.0-beta"),
    ("1.0.0-beta.2", "1.0.0-beta.11"),
    ("1.0.0-beta.11", "1.0.0-rc.1"),
    ("1.0a2", "1.0b1"),
    ("3.0.0-M9", "3.0.0-M10"),
    ("3.0.0-M3", "3.0.0-RC1"),
    ("5.0.0.RC1", "5.0.0.RELEASE"),
    ("2.0-SNAPSHOT", "2.0"),
    ("1.9", "2.0-SNAPSHOT"),
    ("8.0-preview.7", "8.0-rc.1"),
    ("v1alpha1", "v1alpha2"),
    ("v1alpha1", "v1beta1"),
    ("v1beta2", "v1"),
    ("1.9", "1.10-rc1"),
    ("v2", "v2a"),
    ("v2a", "v2b"),
    ("v2b", "v3"),
    ("1.0.2k", "1.0.2l"),
    ("1.0.2", "1.0.2k"),
    ("v1.5.x", "v1.6.x"),
    # dates in every order
    ("2026-05", "2026-06"),
    ("2025-12", "2026-01"),
    ("2026-06-14", "2026-06-15"),
    ("2026-06-14", "2026-07"),
    ("2026-05", "2026-06-14"),
    ("2026.05", "2026.06"),
    ("2026.9", "2026.10"),
    ("2026_05_31", "2026-06"),
    ("20260613", "20260614"),
    ("202605", "202606"),
    ("13-06-2026", "14-06-2026"),
    ("06-13-2026", "14-06-2026"),
    ("14.06.2026", "2026-06-15"),
    ("14/06/2026", "15/06/2026"),
    ("05-2026", "06-2026"),
    ("06/2026", "07/2026"),
    ("30 May 2026", "June 2026"),
    ("June 14, 2026", "15 June 2026"),
    ("14th June 2026", "15th of June 2026"),
    ("14-Jun-2026", "2026-Jun-15"),
    ("Dec25", "Jan26"),
    ("Dec '25", "Jan '26"),
    ("Mai 2026", "Juni 2026"),
    ("31. Mai 2026", "1. Juni 2026"),
    ("mai 2026", "juin 2026"),
    ("1er mai 2026", "août 2026"),
    ("mayo de 2026", "junio de 2026"),
    ("14 de junio de 2026", "15 de junio de 2026"),
    ("2026年5月", "2026年6月"),
    ("2026年6月13日", "2026年6月14日"),
    ("2026년 5월", "2026년 6월"),
    ("2026-W22", "2026-W23"),
    ("KW 22/2026", "KW 23/2026"),
    ("2026-W23", "2026-06-14"),
    ("week 9 2026", "week 10 2026"),
    ("13jun26", "14-Jun-26"),
    ("20260614093000", "202606141200"),
    ("2026-06-14T0900", "2026-06-14T1200"),
    ("2026-06-14 09:00", "2026-06-14-1200"),
    ("2026-06-14T12:00+02:00", "2026-06-14T11:00Z"),
    ("20260614T120000Z", "20260614T120001Z"),
    ("2025", "2026"),
    ("2024/25", "2025/26"),
    ("2024-2025", "2026"),
    ("Q2 2026", "Q3 2026"),
    ("Q4 2025", "Q1 2026"),
    ("4Q25", "1Q26"),
    ("2026-Q2", "2026Q3"),
    ("H1 2026", "H2 2026"),
    ("2026-h1", "h2-2026"),
    ("Q2 2026", "2026-07-01"),
    ("q1-2_2018", "201808-201902"),
    ("201801-201807", "201808-201902"),
    ("201808-201902", "201902-201911"),
    ("2023-10", "2023-11,12"),
    ("2023-11,12", "2024-01,02,03"),
    ("Jan-Mar 2026", "Apr-Jun 2026"),
    ("1-5 June 2026", "8-12 June 2026"),
    ("03-04-2025", "03-04-2026"),
    # fiscal years and seasons
    ("Q3 FY26", "Q4 FY26"),
    ("Q3FY26", "FY26Q4"),
    ("v2026.05", "2026-06"),
    ("Q4 FY25", "Q1 FY26"),
    ("FY25", "FY26"),
    ("FY2025", "Q1 FY2026"),
    ("FY26 H1", "FY26 H2"),
    ("FY24/25", "FY25/26"),
    ("FY2024-25 Q4", "FY2025-26 Q1"),
    ("fiscal year 2025", "fiscal 2026"),
    ("spring 2025", "autumn 2025"),
    ("fall 2024", "Spring '25"),
    ("Winter 2025", "Winter 2026"),
    ("Frühjahr 2025", "Herbst 2025"),
    # counted
    ("rev 2", "rev 10"),
    ("Rev. 9", "revision 10"),
    ("Rev B", "Rev C"),
    ("2nd edition", "3rd edition"),
    ("first edition", "second edition"),
    ("9th edition", "10th edition"),
    ("2. Auflage", "3. Auflage"),
    ("2e édition", "3e édition"),
    ("II", "IV"),
    ("VIII", "IX"),
    ("draft 9", "draft-10"),
    ("Entwurf 2", "Entwurf 3"),
    ("second draft", "third draft"),
    # stages
    ("draft", "final"),
    ("draft", "proposed"),
    ("proposed", "rc"),
    ("rc1", "rc2"),
    ("rc2", "final"),
    ("alpha", "beta"),
    ("beta", "rc"),
    ("final", "final-final"),
    ("final", "FINAL2"),
    ("final2", "final3"),
    ("draft", "approved"),
    ("Entwurf", "endgültig"),
    ("brouillon", "définitif"),
]

SAME = [
    ("1.30", "1.30.0"),
    ("v2", "version 2.0"),
    ("1.0rc1", "1.0.0-rc.1"),
    ("1.0.0+build5", "1.0.0+build7"),
    ("5.0.0.Final", "5.0"),
    ("2026-06-14", "14 June 2026"),
    ("14.06.2026", "June 14, 2026"),
    ("20260614", "2026/06/14"),
    ("202606", "June 2026"),
    ("05-05-2026", "5 May 2026"),
    ("Q3 2026", "Jul-Sep 2026"),
    ("2026-W24", "8-14 June 2026"),
    ("Q3 FY26", "FY2026 Q3"),
    ("fall 2025", "autumn 2025"),
    ("3rd edition", "third edition"),
    ("03-04-2026", "03-04-2026"),
    ("2026-06-14T12:00Z", "2026-06-14 14:00+02:00"),
]

NOT_COMPARABLE = [
    ("v2", "2026-06"),  # of different kinds
    ("Q3 FY26", "Q3 2026"),
    ("FY26", "2026"),
    ("FY26", "FY25/26"),
    ("spring 2025", "2025-05"),
    ("rev 3", "3rd edition"),
    ("rev 3", "v3"),
    ("rev 2", "rev B"),
    ("draft 3", "v3"),
    ("03-04-2026", "04-03-2026"),  # two readings
    ("03-04-2026", "2026-03-20"),
    ("10/11/2026", "2026-10-31"),
    ("14-06-26", "2020-01-01"),
    ("Jan 26", "Feb 26"),  # of which year
    ("14 June", "15 June 2026"),
    ("2026-06", "2026-06-14"),  # one within the other
    ("2026", "Q3 2026"),
    ("FY26", "Q3 FY26"),
    ("4.2.x", "4.2.1"),
    ("4.x", "4.2.x"),
    ("2026-06-14", "2026-06-14T1200"),
    ("2026-W24", "2026-06-10"),
    ("q1-2_2018", "201801-201807"),
    ("winter 2025", "spring 2025"),
    ("draft", "beta"),
    ("alpha", "proposed"),
    ("2.0-SNAPSHOT", "2.0-rc1"),
    ("5.4.0-ee", "5.4.0"),
    ("5.4.0-ee", "5.3.0-ce"),
]

NO_VERSIONS = [
    "", "I", "mix", "X", "vi", "may", "march", "Sales deck v2", "deck", "31 February 2026", "2026-13", "2026-02-30",
    "Q5 2026", "2026-W54", "FY", "v", "VV", "version", "June", "1,5", "12:30", "Part II", "Chapter 3", "RFC 7540",
]  # fmt: skip


@pytest.mark.parametrize(("older", "newer"), OLDER_NEWER)
def test_of_two_versions_the_newer_one_is_known(older: str, newer: str) -> None:
    first, second = parse_version(older), parse_version(newer)
    assert first is not None
    assert second is not None
    assert (compare(first, second), compare(second, first)) == (-1, 1)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_spellings_of_one_version_are_equally_new(one: str, other: str) -> None:
    first, second = parse_version(one), parse_version(other)
    assert first is not None
    assert second is not None
    assert (compare(first, second), compare(second, first)) == (0, 0)


@pytest.mark.parametrize(("one", "other"), NOT_COMPARABLE)
def test_what_nobody_can_order_is_not_ordered(one: str, other: str) -> None:
    first, second = parse_version(one), parse_version(other)
    assert first is not None
    assert second is not None
    assert (compare(first, second), compare(second, first)) == (None, None)


@pytest.mark.parametrize("text", NO_VERSIONS)
def test_what_is_no_version_is_not_read_as_one(text: str) -> None:
    assert parse_version(text) is None


ONE_FAMILY = [
    # decks, policies, price lists
    ("decks/Sales deck v9.pptx", "decks/Sales deck v10.pptx"),
    ("decks/sales_deck_v2.pptx", "decks/Sales-Deck-v3.pptx"),
    ("decks/SalesDeckV2Final.pptx", "decks/sales deck v3.pptx"),
    ("decks/sales-deck.pptx", "decks/sales-deck-v2.pptx"),
    ("decks/Sales deck 2026-05.pptx", "decks/Sales deck June 2026.pptx"),
    ("decks/Sales deck (May 2026).pptx", "decks/Sales deck (June 2026).pptx"),
    ("decks/2026-05/sales-deck.pptx", "decks/2026-06/sales-deck.pptx"),
    ("decks/2026/05/sales-deck.pptx", "decks/2026/06/sales-deck.pptx"),
    ("decks/FY26/Q2/sales-deck.pptx", "decks/FY26/Q3/sales-deck.pptx"),
    ("decks/FY26/Q2-sales-deck.pptx", "decks/FY26/Q3-sales-deck.pptx"),
    ("decks/Q2 FY26 sales deck.pptx", "decks/Sales deck Q3-FY26.pptx"),
    ("policies/Travel policy (effective 1 March 2026).docx", "policies/Travel policy (updated June 2026).docx"),
    ("policies/Travel policy version 2026-06.docx", "policies/Travel policy v2026-05.docx"),
    ("verein/Satzung Stand 06-2026.pdf", "verein/Satzung vom 14.05.2025.pdf"),
    ("decks/Sales deck Q3FY26.pptx", "decks/Sales deck FY26Q4.pptx"),
    ("decks/Sales deck June.pptx", "decks/Sales deck July.pptx"),
    ("decks/3Q FY26 sales deck.pptx", "decks/FY26 4Q sales deck.pptx"),
    ("decks/Sales deck Q3.pptx", "decks/Sales deck Q4.pptx"),
    ("decks/Sales deck Jan26.pptx", "decks/Sales deck Feb26.pptx"),
    ("decks/Vertriebspräsentation Mai 2026.pptx", "decks/Vertriebspräsentation Juni 2026.pptx"),
    ("decks/営業資料2026年5月.pptx", "decks/営業資料2026年6月.pptx"),
    ("decks/deck-2026-06-14T1200.pptx", "decks/deck-2026-06-15T0900.pptx"),
    ("policies/travel-policy-final.docx", "policies/travel-policy-final-final.docx"),
    ("policies/travel-policy FINAL2.docx", "policies/travel-policy draft.docx"),
    ("policies/[DRAFT] Travel policy.docx", "policies/Travel policy.docx"),
    ("policies/Travel policy v2 (approved).docx", "policies/Travel policy v1.docx"),
    ("policies/Copy of Travel policy.docx", "policies/Travel policy.docx"),
    ("policies/Travel policy - Copy (2).docx", "policies/Travel policy.docx"),
    ("policies/Travel policy (1).docx", "policies/Travel policy.docx"),
    ("policies/Reiserichtlinie - Kopie.docx", "policies/Reiserichtlinie.docx"),
    ("policies/Kopie von Reiserichtlinie.docx", "policies/Reiserichtlinie.docx"),
    ("policies/Copie de Politique de voyage.docx", "policies/Politique de voyage.docx"),
    ("policies/Política de viajes - copia.docx", "policies/Política de viajes.docx"),
    ("policies/travel-policy.docx.bak", "policies/travel-policy.docx"),
    ("policies/Copy of Copy of Travel policy.docx", "policies/Travel policy.docx"),
    ("policies/final/travel-policy.docx", "policies/drafts/travel-policy.docx"),
    ("policies/Travel policy v2a.docx", "policies/Travel policy v2b.docx"),
    ("policies/Travel policy_vFinal.docx", "policies/Travel policy_v1.docx"),
    ("policies/travel-policy.v1.md", "policies/travel-policy.v2.md"),
    ("policies/Approved - Travel policy.docx", "policies/Draft - Travel policy.docx"),
    ("policies/travel-policy.docx~", "policies/travel-policy.docx"),
    ("policies/travel-policy_OLD.docx", "policies/travel-policy.docx"),
    ("policies/old/travel-policy.docx", "policies/travel-policy.docx"),
    ("policies/archive/travel-policy-2024.docx", "policies/travel-policy-2026.docx"),
    ("policies/drafts/travel-policy.docx", "policies/travel-policy.docx"),
    ("policies/Entwurf Reiserichtlinie.docx", "policies/Reiserichtlinie.docx"),
    ("policies/Travel policy (Anna's conflicted copy 2026-06-14).docx", "policies/Travel policy.docx"),
    ("policies/Travel Policy II.docx", "policies/Travel Policy III.docx"),
    ("policies/travel-policy-rev-2.docx", "policies/travel-policy-rev-3.docx"),
    ("datasheets/pump-4000 Rev B.pdf", "datasheets/pump-4000 Rev C.pdf"),
    ("books/Handbook 2nd edition.pdf", "books/Handbook 3rd edition.pdf"),
    ("prices/price-list-2025.pdf", "prices/price-list-2026.pdf"),
    ("prices/Preisliste_2026_01.pdf", "prices/Preisliste_2026_07.pdf"),
    ("prices/price list spring 2026.pdf", "prices/price list autumn 2026.pdf"),
    # trees of versions
    ("content/v1.9/guides/install.md", "content/v1.10/guides/install.md"),
    ("content/v2.0-preview/guides/install.md", "content/v2.0/guides/install.md"),
    ("content/master/guides/install.md", "content/v2.3/guides/install.md"),
    ("docs/4.2.x/setup.md", "docs/5.0.x/setup.md"),
    ("docs/16/setup.html", "docs/17/setup.html"),
    ("docs/current/setup.html", "docs/17/setup.html"),
    ("docs/stable/setup.html", "docs/latest/setup.html"),
    ("versioned_docs/version-1.0.0/intro.md", "versioned_docs/version-2.0.0/intro.md"),
    ("docs/intro.md", "versioned_docs/version-2.0.0/intro.md", "versioned_docs/version-1.0.0/intro.md"),
    ("https://docs.example.com/en/5.1/topics/http/", "https://docs.example.com/en/5.2/topics/http/"),
    ("https://docs.example.com/lts/setup", "https://docs.example.com/v9/setup"),
    ("docs/release-1.28/upgrade.md", "docs/release-1.29/upgrade.md"),
    ("docs/v1.28/upgrading-to-v1.29.md", "docs/v1.29/upgrading-to-v1.29.md"),
    ("api/v1beta1/types.md", "api/v1/types.md"),
    # drafts and snapshots
    ("draft-ietf-httpbis-http2-16.txt", "draft-ietf-httpbis-http2-17.txt"),
    ("review-drafts/2018-06.bs", "review-drafts/2018-12.bs", "fetch.bs"),
    ("changelogs/0.9.x.md", "changelogs/0.10.x.md", "CHANGELOG.md"),
    ("doc/changelogs/CHANGELOG_V18.md", "doc/changelogs/CHANGELOG_V20.md"),
    ("docs/releases/1.9.txt", "docs/releases/1.10.1.txt"),
    ("meetings/2019-01/jan-29.md", "meetings/2019-03/mar-26.md"),
    # periods are families too
    ("sig-apps/annual-report-2024.md", "sig-apps/annual-report-2025.md"),
    ("minutes/2026-05-18.md", "minutes/2026-05-25.md"),
    ("updates/2023-11,12-council-update.md", "updates/2023-10-council-update.md"),
    ("posts/2015-06-25-Rust-1.1.md", "posts/2015-08-06-Rust-1.2.md"),
]

NEVER_ONE_FAMILY = [
    # what is counted in series
    ("course/lesson-1.md", "course/lesson-2.md"),
    ("course/Lesson 1 - Basics.md", "course/Lesson 2 - Basics.md"),
    ("book/chapter-3.md", "book/chapter-4.md"),
    ("guide/part-1-of-3.md", "guide/part-2-of-3.md"),
    ("guide/Part I.md", "guide/Part II.md"),
    ("guide/appendix-a.md", "guide/appendix-b.md"),
    ("guide/travel-guide-a-amendments.md", "guide/travel-guide-b-amendments.md"),
    ("guide/section-1.9.md", "guide/section-1.10.md"),
    ("course/week-3.md", "course/week-4.md"),
    ("course/module 1.2.md", "course/module 1.3.md"),
    ("plan/phase-1.md", "plan/phase-2.md"),
    # registers
    ("peps/pep-0101.rst", "peps/pep-0102.rst"),
    ("rfcs/rfc7540.txt", "rfcs/rfc9113.txt"),
    ("rfcs/RFC 2026.txt", "rfcs/RFC 2027.txt"),
    ("adr/021-multi-cluster.md", "adr/036-multi-cluster.md"),
    ("adr/ADR 021.md", "adr/ADR 022.md"),
    ("bips/bip-0009.mediawiki", "bips/bip-0135.mediawiki"),
    ("iso/ISO 27001 controls.md", "iso/ISO 27002 controls.md"),
    ("sec/CVE-2024-1234.md", "sec/CVE-2025-1234.md"),
    ("bugs/OPS-1234.md", "bugs/OPS-1235.md"),
    ("bugs/ticket 202405.md", "bugs/ticket 202406.md"),
    ("tenders/2024-0312 cleaning.md", "tenders/2025-0312 cleaning.md"),
    ("faq/Q1.md", "faq/Q2.md"),
    ("faq/faq-q1.md", "faq/faq-q2.md"),
    # numbers of things
    ("hr/covid-19.md", "hr/covid-20.md"),
    ("it/windows-10.md", "it/windows-11.md"),
    ("it/rust-2018.md", "it/rust-2021.md"),
    ("it/office-2016.md", "it/office-2019.md"),
    ("it/install-on-ubuntu-22.04.md", "it/install-on-ubuntu-24.04.md"),
    ("it/python-3.11-setup.md", "it/python-3.12-setup.md"),
    ("it/tls-1.2.md", "it/tls-1.3.md"),
    ("it/WCAG 2.1 checklist.md", "it/WCAG 2.2 checklist.md"),
    ("it/oauth2.md", "it/oauth1.md"),
    ("img/logo-1920x1080.md", "img/logo-1280x720.md"),
    ("img/plan-2.5gb.md", "img/plan-5.0gb.md"),
    ("it/host 10.12.0.1.md", "it/host 10.12.0.2.md"),
    ("offices/555-123-4567.md", "offices/555-123-4568.md"),
    ("blog/top-10.md", "blog/top-20.md"),
    # what a text is about
    ("docs/upgrading-to-v0.14.md", "docs/upgrading-to-v0.15.md"),
    ("docs/migrate-from-v1-to-v2.md", "docs/migrate-from-v2-to-v3.md"),
    ("docs/migration-guide-v2.md", "docs/migration-guide-v3.md"),
    ("docs/kubernetes-upgrade-1.28.md", "docs/kubernetes-upgrade-1.29.md"),
    ("docs/v1 vs v2.md", "docs/v2 vs v3.md"),
    ("docs/whats-new-in-2.1.md", "docs/whats-new-in-2.2.md"),
    ("docs/support-for-v1.md", "docs/support-for-v2.md"),
    ("content/v1.9/upgrading-to-v0.13.md", "content/v1.10/upgrading-to-v0.14.md"),
    # another language, readership, customer, product, team
    ("policies/travel-policy.de.md", "policies/travel-policy.md"),
    ("policies/travel-policy_fr_v2.md", "policies/travel-policy_en_v1.md"),
    ("docs/de/install.md", "docs/fr/install.md"),
    ("docs/zh/install.md", "docs/zh-hant/install.md"),
    ("docs/pt/v1/install.md", "docs/pt-br/v2/install.md"),
    ("README.zh-CN.md", "README.md"),
    ("policies/Travel policy (German) v2.docx", "policies/Travel policy (English) v1.docx"),
    ("https://example.com/ja/v1/x", "https://example.com/v2/x"),
    ("decks/sales-deck-internal-v1.pptx", "decks/sales-deck-partner-v2.pptx"),
    ("decks/sales-deck-emea-v1.pptx", "decks/sales-deck-apac-v2.pptx"),
    ("decks/sales-deck-enterprise-v1.pptx", "decks/sales-deck-team-v2.pptx"),
    ("deals/Acme - proposal v1.docx", "deals/Globex - proposal v2.docx"),
    ("deals/acme/proposal-v1.docx", "deals/globex/proposal-v2.docx"),
    ("deals/Acme/2026/proposal.docx", "deals/Globex/2025/proposal.docx"),
    ("sig-apps/annual-report-2024.md", "sig-auth/annual-report-2025.md"),
    ("guides/beginner-guide-v1.md", "guides/advanced-guide-v2.md"),
    ("it/policies/laptop-v1.md", "hr/policies/laptop-v2.md"),
    # moving names that are names
    ("pages/main/about.md", "pages/about.md"),
    ("docs/setup.md", "guides/setup.md"),
    ("a/README.md", "b/README.md"),
]  # fmt: skip


def families(*doc_ids: str, title: str = "") -> list[list[str]]:
    """Families of these documents where every text is like every other: only names keep them apart."""
    members = [Member(DocumentKey("s", doc_id), title, "") for doc_id in doc_ids]
    return [[member.key.doc_id for member in each.members] for each in group(members, lambda _one, _other: 1.0).found]


@pytest.mark.parametrize("doc_ids", ONE_FAMILY, ids=" ".join)
def test_names_that_differ_by_their_version_are_proposed_as_one_family(doc_ids: tuple[str, ...]) -> None:
    assert families(*doc_ids) == [sorted(doc_ids)]


@pytest.mark.parametrize("doc_ids", NEVER_ONE_FAMILY, ids=" ".join)
def test_names_of_different_things_are_no_family_however_alike_their_texts(doc_ids: tuple[str, ...]) -> None:
    assert families(*doc_ids) == []


STAY_TRUE = [
    ("sig-apps/annual-report-2024.md", ""),
    ("minutes/2026-05-18.md", ""),
    ("board/2026-05-18.md", ""),
    ("board/Minutes of the policy council 2026-05-18.md", ""),
    ("releases/release-notes-1.9.md", ""),
    ("CHANGELOG-1.9.md", ""),
    ("news/newsletter-june-2026.md", ""),
    ("ops/Post-mortem 2026-05-18.md", ""),
    ("ops/status-update-2026-W23.md", ""),
    ("finance/Q3 FY26 results.pdf", ""),
    ("finance/monthly report May 2026.pdf", ""),
    ("finance/report-2026-05.pdf", ""),
    ("finance/Jahresbericht 2025.pdf", ""),
    ("finance/Rapport annuel 2025.pdf", ""),
    ("finance/informe anual 2025.pdf", ""),
    ("verein/Protokoll 2026-05-18.md", ""),
    ("elections/2021/candidate-a.md", ""),
    ("blog/2026/06/14/pricing.md", ""),
    ("4711", "Meeting minutes 2026-05-18"),
    ("peps/pep-0693.rst", "Python 3.12 Release Schedule"),
]

ARE_REPLACED = [
    ("policies/travel-policy-v2.md", ""),
    ("decks/sales-deck-2026-06.pptx", ""),
    ("guides/Guide to annual reports 2026.md", ""),
    ("templates/minutes-template-2026.docx", ""),
    ("templates/Release notes template v2.md", ""),
    ("finance/report-v2.pdf", ""),
    ("prices/price-list-2026.pdf", ""),
    ("hr/handbook-2026.pdf", ""),
    ("specs/api-spec-1.2.md", ""),
    ("review-drafts/2018-06.bs", ""),
    ("content/v1.9/install.md", ""),
    ("policies/audit-policy-v2.md", ""),
]


@pytest.mark.parametrize(("doc_id", "title"), STAY_TRUE)
def test_what_stays_true_for_its_own_time_is_known_as_such(doc_id: str, title: str) -> None:
    assert read_name(doc_id, title).is_period


@pytest.mark.parametrize(("doc_id", "title"), ARE_REPLACED)
def test_what_a_newer_one_replaces_is_no_period(doc_id: str, title: str) -> None:
    assert not read_name(doc_id, title).is_period


@pytest.mark.parametrize(
    ("doc_id", "lang"),
    [
        ("guide.de.md", "de"),
        ("guide_fr.md", "fr"),
        ("guide-es_v2.md", "es"),
        ("guide_v2_es.md", "es"),
        ("README.pt-BR.md", "pt-br"),
        ("README.zh_CN.md", "zh-cn"),
        ("docs/de/docs/index.md", "de"),
        ("docs/zh-hant/index.md", "zh-hant"),
        ("docs/it/index.md", "it"),
        ("i18n/uk/guide.md", "uk"),
        ("https://example.com/it/prezzi", "it"),
        ("Handbook (German).pdf", "de"),
        ("Handbuch - Deutsch.pdf", "de"),
        ("Handbook English version.pdf", "en"),
        ("it/laptops.md", None),
        ("hr/leave.md", None),
        ("guide-to-it.md", None),
        ("policy-uk.md", None),
        ("how-to-say-no.md", None),
        ("id/cards.md", None),
        ("checklist.md", None),
    ],
)
def test_a_language_is_read_where_it_is_one(doc_id: str, lang: str | None) -> None:
    assert read_name(doc_id, "").lang == lang


@pytest.mark.parametrize(
    ("doc_id", "channel"),
    [
        ("docs/latest/setup.md", Channel.RELEASED),
        ("docs/stable/setup.md", Channel.RELEASED),
        ("docs/lts/setup.md", Channel.RELEASED),
        ("docs/current/setup.md", Channel.RELEASED),
        ("docs/next/setup.md", Channel.UNRELEASED),
        ("docs/edge/setup.md", Channel.UNRELEASED),
        ("content/master/setup.md", Channel.UNRELEASED),
        ("i18n/de/docusaurus-plugin-content-docs/current/intro.md", Channel.UNRELEASED),
        ("deck-latest.pptx", Channel.SAID),
        ("deck - new.pptx", Channel.SAID),
        ("docs/v2/setup.md", None),
        ("docs/whats-new/setup.md", None),
        ("whats-new.md", None),
    ],
)
def test_a_moving_name_is_told_from_a_version(doc_id: str, channel: Channel | None) -> None:
    name = read_name(doc_id, "")
    assert name.channel == channel
    assert channel is None or name.version is None


@pytest.mark.parametrize(
    ("doc_id", "is_unfinished"),
    [
        ("policy-draft.md", True),
        ("DRAFT - policy.md", True),
        ("policy (WIP).md", True),
        ("drafts/policy.md", True),
        ("policy v2 for review.md", True),
        ("guide-2.0-rc1.md", True),
        ("content/v2.0-preview/guide.md", True),
        ("draft-ietf-httpbis-http2-17.txt", True),
        ("Entwurf Richtlinie.md", True),
        ("guide-2.0-rc1-final.md", True),
        ("policy-final.md", False),
        ("policy v2 (approved).md", False),
        ("guide-2.0.md", False),
        ("how-to-draft-a-policy.md", False),
        ("beta-program.md", False),
    ],
)
def test_a_draft_says_that_it_is_one(doc_id: str, is_unfinished: bool) -> None:
    assert read_name(doc_id, "").is_unfinished is is_unfinished


@pytest.mark.parametrize(
    ("title", "stem", "is_unfinished", "lang"),
    [
        ("Travel policy - draft", "travel-policy", True, None),
        ("Travel policy (draft)", "travel-policy", True, None),
        ("Travel policy v2 draft", "travel-policy", True, None),
        ("[DRAFT] Travel policy", "travel-policy", True, None),
        ("DRAFT: Travel policy", "travel-policy", True, None),
        ("Travel policy (German)", "travel-policy", False, "de"),
        ("Travel policy, final", "travel-policy", False, None),
        ("Writing your first draft", "writing-your-first-draft", False, None),
        ("The players draft", "the-players-draft", False, None),
        ("Learning German", "learning-german", False, None),
        ("The world cup final", "the-world-cup-final", False, None),
        ("How to make a copy", "how-to-make-a-copy", False, None),
        ("The Internet Archive", "the-internet-archive", False, None),
        ("What is new", "what-is-new", False, None),
        ("The manylinux2010 tag", "the-manylinux2010-tag", False, None),
    ],
)
def test_in_a_title_a_mark_is_set_apart(title: str, stem: str, is_unfinished: bool, lang: str | None) -> None:
    name = read_name("4711", title)
    assert (name.title_stem, name.is_unfinished, name.lang) == (stem, is_unfinished, lang)


@pytest.mark.parametrize(
    "doc_id", ["http://[", "9" * 5000, "v" + "9" * 5000, "1." * 3000, "/", "\\", "~", ".", "://", "a\x00b"]
)
def test_no_name_is_too_odd_to_be_read(doc_id: str) -> None:
    assert read_name(doc_id, doc_id) == read_name(doc_id, doc_id)
    parse_version(doc_id)
    parse_version(f"1.0.0-{doc_id}")


def test_what_a_name_says_is_kept_apart() -> None:
    name = read_name("clients/de/archive/Copy of Sales deck Q3 FY26 v2 draft.pptx.bak", "Sales deck (internal)")
    assert name.stem == "clients/sales-deck"
    assert [found.version.text for found in name.versions] == ["q3 fy26", "v2"]
    assert (name.lang, name.copy, name.retired, name.audience) == ("de", "copy of", "archive", ("internal",))
    assert name.stage is not None
    assert name.stage.text == "draft"
    assert name.of_kind(Kind.FISCAL) is not None
    assert name.of_kind(Kind.SEASON) is None


def test_a_folder_says_the_year_that_the_file_name_leaves_out() -> None:
    version = read_name("FY26/deck-Q3.pptx", "").version
    stated = parse_version("Q3 FY26")
    assert version is not None
    assert stated is not None
    assert compare(version, stated) == 0


def test_spellings_of_unicode_and_of_separators_are_one_name() -> None:
    composed, decomposed = "policies/Richtlinie für Büro v1.md", "policies/Richtlinie_fu\u0308r_Bu\u0308ro_v2.md"
    assert read_name(composed, "").stem == read_name(decomposed, "").stem
