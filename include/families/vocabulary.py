"""The words by which names tell versions, languages and readers apart. English, German, French, Spanish, and where it
costs nothing Italian, Portuguese and Dutch. All in lower case."""

from __future__ import annotations


def apart(words: str) -> str:
    """A pattern in which the blanks of these words may be written as names write them."""
    return words.replace(" ?", r"[\s_-]?").replace(" ", r"[\s_-]")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar jänner janvier janv enero ene gennaio janeiro januari",
            "february feb februar février fevrier févr fevr febrero febbraio fevereiro februari",
            "march mar märz maerz mrz mars marzo março marco maart",
            "april apr avril avr abril abr aprile",
            "may mai mayo maggio maio mei",
            "june jun juni juin junio giugno junho",
            "july jul juli juillet juil julio luglio julho",
            "august aug août aout agosto augustus",
            "september sept sep septembre septiembre settembre setembro",
            "october oct oktober okt octobre octubre ottobre outubro",
            "november nov novembre noviembre novembro",
            "december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro",
        ),
        start=1,
    )
    for name in names.split()
}

SEASONS = {
    name: place
    for place, names in enumerate(
        (
            "winter hiver invierno inverno",
            "spring frühjahr frühling fruehjahr printemps primavera",
            "summer sommer été verano estate verão",
            "autumn fall herbst automne otoño autunno outono",
        )
    )
    for name in names.split()
}

PLATFORMS = _set(
    "python java jdk openjdk jre node nodejs php ruby rails go golang rust perl swift kotlin scala kubernetes k8s "
    "docker postgres postgresql mysql mariadb mongodb redis elasticsearch ubuntu debian rhel centos fedora windows "
    "macos ios android dotnet angular react vue django flask spring airflow pydantic openssl"
)
"""What a text is for. `install-on-ubuntu-22.04` and `install-on-ubuntu-24.04` both hold."""

STANDARDS = _set(
    "iso iec ieee rfc std bcp pep bip xep oep kep adr jep jsr eip erc din ansi astm nist fips wcag tls ssl http https "
    "usb oauth oidc saml openapi html css ecmascript pci soc hl7 web industry cve cwe ghsa covid sars bluetooth ticket "
    "issue bug sop qm"
)
"""Their numbers are names: RFC 2026 is of 1996, CVE-2024-1234 is no month."""

YEARED = (
    "rust|office|windows|windows server|sql server|visual studio|exchange|sharepoint|expo|euro|vision"
    "|horizon|agenda(?=.2030)"
)
"""Products that are called by a year: Rust 2018."""

PARTS = (
    "chapter|chap|lesson|lecture|part|section|sec|step|module|unit|exercise|lab|appendix|annex|annexe|figure|fig|table"
    "|page|volume|vol|book|episode|day|level|tier|phase|stage|type|class|grade|group|option|item|question|article"
    "|clause|sprint|control|requirement|req|rule|criterion|test case|use case|task|milestone|theme|kontrolle"
    "|anforderung|regel|exigence|règle|regla|requisito|kapitel|teil|abschnitt|anhang|lektion|schritt|chapitre|partie"
    "|leçon|étape|capítulo|parte|lección"
)
"""What is counted in series: each stands beside the others."""

ROMAN_AFTER = (
    "policy|guide|handbook|manual|deck|plan|proposal|contract|agreement|charter|report|framework|strategy|spec"
    "|specification|version|revision|edition|richtlinie|handbuch|konzept|vertrag|plan|politique|guide|contrat"
)

TOPIC = "to|from|for|since|between|until|before|after|than|vs|versus|von|nach|auf|für|vers|pour|depuis|desde|para|hasta"
"""Behind these a number is what the text is about: upgrading-to-v0.14."""

LANGUAGES = _set(
    "ar bg bn ca cs cy da de el en es et eu fa fi fr ga gl gu he hi hu hy id is it ja ka kk km kn ko lt lv mk ml mn "
    "mr ms my nb ne nl nn no pa pl pt ro ru sk sl sq sr sv sw ta te th tr uk ur uz vi zh zu"
)
LANGUAGES_OR_WORDS = _set("ca da el et eu ga id is it ml mr ms my ne no pa sk sl ta te th uk")
"""Codes that are as well English words, departments, states or regions; read as a language only where nothing else
is meant."""

LANGUAGE_NAMES = {
    "english": "en", "englisch": "en", "anglais": "en", "inglés": "en",
    "german": "de", "deutsch": "de", "allemand": "de", "alemán": "de",
    "french": "fr", "französisch": "fr", "français": "fr", "francés": "fr",
    "spanish": "es", "spanisch": "es", "espagnol": "es", "español": "es",
    "italian": "it", "italienisch": "it", "italiano": "it",
    "portuguese": "pt", "portugiesisch": "pt", "português": "pt",
    "dutch": "nl", "nederlands": "nl", "japanese": "ja", "日本語": "ja", "chinese": "zh", "中文": "zh",
    "korean": "ko", "한국어": "ko", "russian": "ru", "polish": "pl", "turkish": "tr",
}  # fmt: skip

AUDIENCES = _set(
    "internal external confidential intern extern interne externe partner partners reseller resellers enterprise "
    "premium pro starter beginner beginners intermediate advanced expert experts employee employees "
    "contractor contractors manager managers supervisor supervisors admin admins administrator administrators "
    "developer developers customer customers student students teacher teachers patient patients clinician clinicians "
    "emea apac amer amers latam dach nordics benelux usa eu"
)
"""Whom or what an edition is for: two of these are two documents."""

DRAFT_WORDS = "draft|entwurf|brouillon|ébauche|borrador|rascunho|bozza|ontwerp|wip|work in progress"
PROPOSED_WORDS = "proposed|for review|under review|in review|pending approval|zur prüfung"
FINAL_WORDS = (
    "final|finale|finaal|definitief|definitive|endfassung|endgültig|définitif|définitive|definitivo|definitiva"
)
APPROVED_WORDS = "approved|signed|executed|genehmigt|freigegeben|approuvé|approuvée|aprobado|aprobada"

COPY_WORDS = "copy|kopie|copie|copia|cópia|kopia|kopi|kopio|duplicate|duplikat"
OF = "of|von|de|di|van|av|af|från|da"
BACKUP_WORDS = "backup|bak|orig|original copy|sicherung|sauvegarde"
RETIRED_WORDS = (
    "old|archive|archived|deprecated|obsolete|outdated|superseded|retired|alt|veraltet|archiv|ancien|ancienne"
    "|obsolète|antiguo|antigua|obsoleto|obsoleta"
)
PUT_BEFORE = "old|alt|ancien|ancienne|antiguo|antigua"
RETIRED_FOLDERS = _set(
    "old archive archives archived _archive _archived deprecated obsolete superseded retired attic backup backups "
    "archiv alt veraltet anciens obsolètes archivo antiguo"
)

DRAFT_FOLDERS = _set("draft drafts wip entwürfe entwurf brouillons borradores _drafts")
LANGUAGE_FOLDERS = _set("docs doc i18n l10n locale locales lang langs language languages translations content www")

RELEASED_CHANNELS = _set("latest stable current lts released aktuell actuel actual")
UNRELEASED_CHANNELS = _set("master main trunk next edge nightly unreleased canary develop devel head snapshot")
NEWEST_WORDS = _set("new newest updated neu nouveau nuevo")
"""In file names and titles; of which day the new one is, nobody knows."""
VERSIONED_PARENTS = _set("docs doc documentation manual manuals reference api version versions release releases v")
"""Folders in which a bare number is a version: docs/16/."""

PERIOD_WORDS = (
    "(?:annual|quarterly|monthly|weekly|progress) reports?|minutes|meetings?|meeting notes|agendas?"
    "|release notes?|release schedule|change ?logs?|what'?s? new|newsletters?|digest|bulletins?"
    "|(?:status|council|project|team|weekly|monthly|quarterly) updates?|updates|retrospectives?|retro|post ?mortems?"
    "|incident reports?|stand ?ups?|surveys?|audits?|elections?|earnings|results|financial statements?|budgets?"
    "|press releases?|news|blog|posts|journal|diary|recap|proceedings|invoices?|jahresberichte?|geschäftsberichte?"
    "|quartalsberichte?|protokolle?|sitzungen|sitzung|rundbriefe?|änderungsprotokoll|rapports? annuels?"
    "|comptes? rendus?|procès verbal|notes de version|informes? anual(?:es)?|actas?|boletín|boletines|minutas?"
    "|notas de (?:la )?versión|jaarverslag|notulen"
    "|time ?sheets?|pay ?slips?|stundenzettel|versionshinweise|lohnabrechnung(?:en)?|fiches? de paie"
    "|events?|conferences?|summits?|hackathons?|webinars?|awards?|winners|nominees"
)
"""Each of these stays true for its own time."""

PERIODS_WHEN_DATED = _set(
    "report reports bericht berichte rapport rapports informe informes notes statement statements summary summaries "
    "review reviews forecast forecasts outlook schedule schedules calendar calendars statistics log logs figures "
    "status sales revenue expenses inventory attendance payroll roster rosters rota rotas menu menus exam exams "
    "homework quiz interview interviews transcript transcripts 1-1 1on1 okr okrs kpi kpis metrics dashboard scorecard "
    "bilan bilans relevé relevés memoria memorias balance nómina nóminas speiseplan dienstplan prüfung klausur "
    "letter letters memo memos email emails mail mails scan scans img photo photos screenshot nda offer offers quote "
    "quotes contract contracts receipt case cases decision decisions training trainings workshop workshops session "
    "sessions call calls lecture lectures talk talks seminar angebot angebote rechnung rechnungen vertrag verträge "
    "brief briefe schulung schulungen offre offres contrat contrats devis facture factures courrier lettre oferta "
    "ofertas contrato contratos factura facturas carta cartas"
)
"""A report of June holds beside one of May, and so does a letter; report v2 replaces report v1."""

PERIOD_ENDINGS = (
    "bericht",
    "berichte",
    "protokoll",
    "protokolle",
    "abrechnung",
    "議事録",
    "会議録",
    "短信",
    "報告書",
    "報告",
    "報",
    "纪要",
    "報表",
    "报告",
    "报",
    "회의록",
    "보고서",
)
"""Ends of words that say the same where words are joined: Monatsbericht, 決算短信, 周报."""

REVISED_WORDS = _set(
    "policy policies template templates guide guides guideline guidelines checklist form procedure process handbook "
    "manual instructions playbook spec specification howto vorlage richtlinie leitfaden handbuch modèle politique "
    "plantilla política guía"
)
"""What a newer edition replaces, whatever it is about: a template for minutes, a policy for audits."""

SNAPSHOT_WORDS = _set(
    "draft drafts snapshot snapshots version versions revision revisions release releases history archive"
)
"""Folders whose files are fixed states of one document."""

GENERIC_NAMES = _set(
    "readme index offer offers proposal proposals quote contract agreement report reports deck presentation notes "
    "summary overview brief plan document letter memo slides pitch nda msa sow dpa loi cv resume invoice quotation "
    "angebot vertrag bericht rechnung offre contrat rapport devis propuesta contrato informe"
)
"""File names that say nothing of what a text is about: in two folders they are two things."""

BEFORE_DATES = (
    "version|ver|v|edition|issue|as of|as at|dated|effective|effective from|updated|last updated|revised|valid from"
    "|of|on|for|from|stand|vom|von|am|gültig ab|du|de|le|en date du|del|de|al|a partir de"
)
"""What may lead to a date and belongs to it: "Satzung Stand 06/2026", "policy (effective 1 March 2026)"."""

BESIDE_VERSIONS = _set(
    "the of as at dated effective from version stand vom du le del last updated stable latest lts current"
)
"""Words that may stand beside a version without naming something that has it."""

EXTENSIONS = _set(
    "md mdx markdown mdown rst txt text html htm xhtml shtml php asp aspx jsp pdf doc docx dot dotx ppt pptx pps ppsx "
    "xls xlsx xlsm csv tsv odt odp ods rtf json yaml yml xml toml adoc asciidoc org tex ipynb bs mediawiki wiki "
    "textile sgml pages key numbers epub eml msg dita"
)
BACKUP_EXTENSIONS = _set("bak old orig backup tmp")
