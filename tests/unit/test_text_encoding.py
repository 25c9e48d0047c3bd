from __future__ import annotations

import codecs
import time

import pytest

from include.text.encoding import decode, normalise


@pytest.mark.parametrize(
    ("body", "declared", "html", "text"),
    [
        (b"caf\xc3\xa9", None, False, "café"),
        (b"caf\xe9 \x80\x9d", None, False, "café €\x9d"),  # cp1252, one of its holes
        (b"caf\xe9", "ISO-8859-1", False, "café"),
        (b"caf\xc3\xa9", "ISO-8859-1", False, "café"),  # the server's default label
        (b"\xcf\xf0\xe8", "windows-1251", False, "При"),
        (b"\xcf\xf0\xe8", "no-such-charset", False, "Ïðè"),
        (b"caf\xc3\xa9", "utf-16", False, "café"),  # contradicted by the bytes
        (b"caf\xe9 na\xc3\xafve", "utf-8", False, "café naïve"),  # one foreign byte in a UTF-8 file
        (codecs.BOM_UTF8 + b"caf\xc3\xa9", "windows-1251", False, "café"),
        (codecs.BOM_UTF16_LE + "né".encode("utf-16-le"), None, False, "né"),
        (codecs.BOM_UTF16_BE + "né".encode("utf-16-be"), None, False, "né"),
        (b'<meta charset="shift_jis">' + "日本".encode("shift_jis"), None, True, '<meta charset="shift_jis">日本'),
        (b"+AGE-", "utf-7", False, "+AGE-"),
        (b"\\u0041", "unicode_escape", False, "\\u0041"),
        (b"YQ==", "base64", False, "YQ=="),
    ],
)
def test_bytes_are_read_by_bom_then_declaration_then_meta_then_utf8_then_cp1252(body, declared, html, text):
    assert decode(body, declared=declared, html=html) == text


@pytest.mark.parametrize(
    "body", [b"%PDF-1.7 ...", b"PK\x03\x04word", b"\x89PNG\r\n", bytes(range(256)), "utf-16".encode("utf-16-le")]
)
def test_binary_data_is_refused_and_named(body):
    with pytest.raises(ValueError, match=r"PDF|ZIP|PNG|control characters"):
        decode(body)


def test_a_few_nul_bytes_do_not_make_a_page_binary():
    assert normalise(decode(b"notes\x00 of a \x00meeting" * 20)).startswith("notes of a meeting")


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("a\r\nb\rc\x0cd\u2028e", "a\nb\nc\nd\ne"),
        ("\ufeff\n\n  code\n\n", "  code"),
        ("e\u0301", "é"),
        ("e\u200b\u0301", "é"),
        ("a\u00adb\u200bc\u2060d\u202ee\ud800", "abcde"),
        ("\U0001f469\u200d\U0001f4bb", "\U0001f469\u200d\U0001f4bb"),  # joiners make emoji and Persian
        ("one\u00a0two \t\n", "one two"),
        ("![x](data:image/png;base64," + "QUJD" * 40 + ") after", "![x](data:image/png) after"),
    ],
)
def test_what_nobody_sees_is_normalised_away(raw, clean):
    assert normalise(raw) == clean


@pytest.mark.parametrize("text", [" " * 1_000_000 + "x", "\t " * 500_000 + "x", "# " + "*a" * 500_000])
def test_a_line_of_a_megabyte_takes_no_time_to_speak_of(text):
    began = time.process_time()
    normalise(text)
    assert time.process_time() - began < 5  # a quadratic pattern needs hours
