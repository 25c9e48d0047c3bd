"""The settings file: what is allowed, where a mistake is, and where values come from."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

from include.domain.errors import ConfigError
from include.planning.limits import Limits
from include.settings import Settings, load_settings
from include.wiring.application import Application

SMALL = "sources:\n  handbook:\n    kind: git_markdown\n    options: {location: ./handbook}\n"
SHIPPED = Path(__file__).parents[2] / "config" / "truecopy.yaml"


def loaded(text: str, tmp_path: Path, **environment: str) -> Settings:
    path = tmp_path / "truecopy.yaml"
    path.write_text(text, encoding="utf-8")
    return load_settings(path, environment)


def refused(text: str, tmp_path: Path, **environment: str) -> str:
    with pytest.raises(ConfigError) as refusal:
        loaded(text, tmp_path, **environment)
    return str(refusal.value)


def test_the_smallest_file_has_every_default(tmp_path: Path) -> None:
    settings = loaded(SMALL, tmp_path)
    assert settings.limits_of("handbook") == Limits()
    assert (settings.store.url, settings.store.alias) == ("edge:./state/index", "truecopy")
    assert (settings.state, str(settings.ledger)) == ("./state", "state/ledger")
    assert settings.embedding.kind == "static"


def test_the_shipped_file_is_valid() -> None:
    if not SHIPPED.exists():
        pytest.skip("this installation brings its own settings")
    assert load_settings(SHIPPED, {}).sources


def test_a_source_may_have_limits_of_its_own(tmp_path: Path) -> None:
    settings = loaded(
        SMALL + "    limits: {deletion_percent: 0}\n  other: {kind: git_markdown}\nlimits: {deletion_percent: 20}\n",
        tmp_path,
    )
    assert settings.limits_of("handbook") == Limits(deletion_percent=0)
    assert settings.limits_of("other") == Limits(deletion_percent=20)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (SMALL + "limits: {deletion_percent: 101}\n", ["limits.deletion_percent", "101", "100"]),
        (SMALL + "limits: {deletion_percent: -1}\n", ["limits.deletion_percent", "-1"]),
        (SMALL + "limits: {deletion_percent: many}\n", ["limits.deletion_percent", "many"]),
        (SMALL + "limits: {delete_percent: 5}\n", ["limits.delete_percent", "not permitted"]),
        (SMALL + "limits: {update_percent: 0}\n", ["limits.update_percent"]),
        (SMALL + "batch_documents: 0\n", ["batch_documents"]),
        (SMALL + "store: {alias: 'a b'}\n", ["store.alias", "a b"]),
        (SMALL.replace("handbook:", "Hand Book:"), ["Hand Book"]),
        (SMALL + "  hand-book: {kind: x}\n  hand_book: {kind: x}\n", ["hand-book", "hand_book", "rename one"]),
        (SMALL.replace("kind", "type"), ["sources.handbook.kind", "required"]),
        ("sources: {}\n", ["sources"]),
        ("limits: {}\n", ["sources", "required"]),
        ("- a\n", ["list"]),
        ("", ["NoneType"]),
        ("a: [\n", ["not valid YAML"]),
        (SMALL + "password: hunter2\n", ["password", "not permitted"]),
    ],
    ids=lambda value: value[-30:] if isinstance(value, str) else "",
)
def test_a_mistake_names_file_key_value_and_what_is_allowed(text: str, parts: list[str], tmp_path: Path) -> None:
    message = refused(text, tmp_path)
    assert "truecopy.yaml" in message
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    "text",
    [
        "store: {api_key: hunter2}\n",
        "store: {url: {api_key: hunter2}}\n",
        "store: [hunter2]\n",
        "embedding: {conn_id: {password: hunter2}}\n",
        "api_token: hunter2\n",
        "batch_documents: https://user:hun@hunter2@host\n",
        "store: {api_key: 'hunter2}\n",
        "store: {alias: truecopy, api_key: hunter2: x}\n",
    ],
)
def test_a_misplaced_secret_is_never_repeated(text: str, tmp_path: Path) -> None:
    path = tmp_path / "truecopy.yaml"
    path.write_text(SMALL + text, encoding="utf-8")
    with pytest.raises(ConfigError) as refusal:
        load_settings(path, {})
    assert "hunter2" not in "".join(traceback.format_exception(refusal.value))


def test_a_fault_of_the_file_is_found_by_its_line(tmp_path: Path) -> None:
    assert "line 5, column" in refused(SMALL + "store: [\n", tmp_path)


def test_every_mistake_is_named_at_once(tmp_path: Path) -> None:
    message = refused(SMALL + "batch_documents: 0\nrelease_hours: -1\n", tmp_path)
    assert "batch_documents" in message
    assert "release_hours" in message


def test_a_long_value_is_cut_in_the_message(tmp_path: Path) -> None:
    assert len(refused(SMALL + f"chunk_tokens: {'x' * 500}\n", tmp_path)) < 400


def test_variables_come_from_the_environment_or_their_default(tmp_path: Path) -> None:
    text = SMALL + "store: {url: '${QDRANT:-edge:./here}', alias: '${ALIAS}'}\n"
    settings = loaded(text, tmp_path, ALIAS="docs")
    assert (settings.store.url, settings.store.alias) == ("edge:./here", "docs")
    assert loaded(text, tmp_path, ALIAS="docs", QDRANT="http://q:6333").store.url == "http://q:6333"
    assert "${ALIAS}" in refused(text, tmp_path)


def test_a_variable_in_a_comment_need_not_be_set(tmp_path: Path) -> None:
    assert loaded("# set ${NOWHERE} for this\n" + SMALL, tmp_path).sources


def test_state_ledger_and_cache_of_the_environment_win(tmp_path: Path) -> None:
    text = SMALL + "state: ./a\nledger: ./b\ncache: ./e\n"
    settings = loaded(text, tmp_path, TRUECOPY_STATE="/c", TRUECOPY_LEDGER="/d", TRUECOPY_CACHE="/f")
    assert (settings.state, str(settings.ledger), str(settings.cache)) == ("/c", "/d", "/f")
    assert str(loaded(text, tmp_path).cache) == "e"


@pytest.mark.parametrize("key", ["ledger", "cache"])
def test_what_needs_locks_is_no_url(key: str, tmp_path: Path) -> None:
    assert "mounted file system" in refused(SMALL + f"{key}: s3://bucket/x\n", tmp_path)


def test_the_options_of_every_source_are_checked_when_an_installation_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        SMALL + "  broken: {kind: git_markdown, options: {location: x, rot: docs}}\n  odd: {kind: gopher}\n",
        encoding="utf-8",
    )
    with pytest.raises(ConfigError) as refusal:
        Application.from_environment({"TRUECOPY_CONFIG": str(path)})
    assert f"{path}: sources.broken.options.rot: is not an option here" in str(refusal.value)
    assert f"{path}: sources.odd.kind: 'gopher'" in str(refusal.value)
    assert "handbook" not in str(refusal.value)


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    path = tmp_path / "truecopy.yaml"
    path.write_text(SMALL.replace("./handbook", "'https://git.invalid/x.git'"), encoding="utf-8")
    application = Application.from_environment({"TRUECOPY_CONFIG": str(path), "TRUECOPY_CACHE": str(tmp_path / "file")})
    with pytest.raises(ConfigError, match=f"{tmp_path}/file.*TRUECOPY_CACHE"):
        application.connector("handbook").list_documents()


def test_a_missing_file_says_what_to_set(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="TRUECOPY_CONFIG"):
        load_settings(tmp_path / "nowhere.yaml", {})
