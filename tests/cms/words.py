"""Texts for random lives: plausible sentences, each with a word that occurs in no other."""

from __future__ import annotations

from random import Random

_TEXT = (
    "account address agent answer archive article assistant attachment balance bill browser button calendar card "
    "change channel check choose cloud code colour company connect contact copy country course customer date day "
    "delete delivery device document door driver email engineer export field file filter folder form garden group "
    "guide help holiday home image import index invoice key label language level licence limit line link list load "
    "machine market member menu message model month name network night note number office open order owner package "
    "page paper partner password path pay person phone picture plan point policy price printer privacy product "
    "profile project question read receipt region release remove report request result return review river role room "
    "route rule sale save screen search season section send server service session setting ship shop sign site size "
    "source space staff stage start state stock store street submit summer support table tag task team template test "
    "text ticket time title token tool topic total tour track train travel tree type update upload user value vendor "
    "version video view visit warehouse water week window winter word work write year zone"
)
WORDS = tuple(_TEXT.split())


def unique_word(random: Random) -> str:
    """Twelve letters that no other text of a life has, but for a chance of one in 10^11."""
    return "".join(random.choice("bcdfgklmnprstvz") + random.choice("aeiou") for _ in range(6))


def sentence(random: Random) -> str:
    words = [random.choice(WORDS) for _ in range(random.randint(6, 18))]
    words.insert(random.randrange(len(words)), unique_word(random))
    return " ".join(words).capitalize() + "."


def paragraph(random: Random) -> str:
    return " ".join(sentence(random) for _ in range(random.randint(1, 4)))


def heading(random: Random) -> str:
    return f"{random.choice(WORDS)} {random.choice(WORDS)} {unique_word(random)}".capitalize()
