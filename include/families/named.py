"""A document with its name read: what the search for families looks at. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from include.families.members import Member, label_of
from include.families.names import Name, read_name


@dataclass(frozen=True, slots=True)
class Named:
    member: Member
    name: Name

    @property
    def doc_id(self) -> str:
        return self.member.key.doc_id

    @property
    def lang(self) -> str:
        return self.name.lang or (self.member.lang or "").lower().replace("_", "-")

    @property
    def stated(self) -> str:
        return label_of(self.member)

    @property
    def folder(self) -> str:
        return self.name.stem.rpartition("/")[0]

    @property
    def own_words(self) -> frozenset[str]:
        """What the file name says beyond the title. A number says nothing where nothing else does (WordPress calls a
        second page of one title `sales-deck-2`) and where it is long: a register counts its records in it."""
        if self.name.is_opaque:
            return frozenset()
        words = set(self.name.stem.rpartition("/")[2].split("-")) - set(self.name.title_stem.split("-"))
        if all(word.isdigit() for word in words):
            return frozenset()
        return frozenset(word for word in words if not (word.isdigit() and len(word) > 2))


def name_of(member: Member) -> Name:
    """Of a document that its system only numbers, the address is asked."""
    name = read_name(member.key.doc_id, member.title)
    return read_name(member.url, member.title) if name.is_opaque and member.url else name
