"""What the services need from the world, as Protocols, a module per kind. A reader cannot write, by type."""

from include.ports.clock import Clock
from include.ports.connector import Connector, FormerBodies
from include.ports.embedding import Embedder, Vectors
from include.ports.events import Inbox, Traffic
from include.ports.index import Hit, Hybrid, Index, IndexReader, IndexStore, NewPoint
from include.ports.ledger import Ledger
from include.ports.purging import Purging
from include.ports.records import DateClusters, Manifests, RemovalMarks
from include.ports.review import Protections, ReviewQueue

__all__ = [
    "Clock",
    "Connector",
    "DateClusters",
    "Embedder",
    "FormerBodies",
    "Hit",
    "Hybrid",
    "Inbox",
    "Index",
    "IndexReader",
    "IndexStore",
    "Ledger",
    "Manifests",
    "NewPoint",
    "Protections",
    "Purging",
    "RemovalMarks",
    "ReviewQueue",
    "Traffic",
    "Vectors",
]
