"""Dates of each source that too many of its documents share: `dates/<source>.json` below the state root.

The file is derived: every night finds the clusters anew. What it adds is memory between the nights, and of imports that
have become a small part of their source since.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence

from pydantic import TypeAdapter, ValidationError

from include.domain.provenance import DateCluster
from include.records.state import StateRoot

log = logging.getLogger(__name__)

_CLUSTERS = TypeAdapter(tuple[DateCluster, ...])


class FileDateClusters:
    """Implements ports.DateClusters."""

    def __init__(self, state: StateRoot) -> None:
        self._state = state

    def of(self, source: str) -> Sequence[DateCluster]:
        try:
            return _CLUSTERS.validate_json(self._state.read(_path(source)))
        except FileNotFoundError:
            return ()
        except ValidationError as error:
            log.warning("%s cannot be read and is passed over, the next night finds it anew: %s", _path(source), error)
            return ()

    def put(self, source: str, clusters: Sequence[DateCluster]) -> None:
        if tuple(clusters) != tuple(self.of(source)):
            record = _CLUSTERS.dump_python(tuple(clusters), mode="json")
            self._state.write(_path(source), json.dumps(record, indent=1).encode())


def _path(source: str) -> str:
    return f"dates/{source}.json"
