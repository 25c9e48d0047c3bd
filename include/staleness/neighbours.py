"""Every pair of vectors that lie close together, exactly, in bounded memory. Pure, brute force.

Vectors are compared tile by tile: `tile` × `tile` products at a time, each pair once. A vector that has more than
`most` neighbours stands for a text that is everywhere (a footer, a form, a licence): it tells no two documents apart,
so it is reported as crowded, with its neighbours, and its pairs are dropped as they come. At most `most` pairs a vector
are ever kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]

MOST = 32
TILE = 1024


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """`first[n] < second[n]` are row numbers with cosine `cosine[n]`, in no particular order. `crowded` says of each
    row whether it has too many neighbours or one that has; no pair with such a row is listed."""

    first: npt.NDArray[np.int32]
    second: npt.NDArray[np.int32]
    cosine: Vectors
    crowded: npt.NDArray[np.bool_]


def neighbours(vectors: Vectors, *, at_least: float, most: int = MOST, tile: int = TILE) -> Neighbours:
    """Pairs of rows whose product is at least that much. Rows are unit vectors, float32, shape (n, dimension); a row of
    zeros is nobody's neighbour. Raises ValueError for another shape and for a threshold that zeros would pass."""
    if vectors.ndim != 2:
        raise ValueError(f"vectors are a table of rows, got the shape {vectors.shape}")
    if not 0 < at_least <= 1:
        raise ValueError(f"a threshold is above 0 and at most 1, got {at_least}")
    vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    number = len(vectors)
    count = np.zeros(number, dtype=np.int64)
    crowded = np.zeros(number, dtype=np.bool_)
    beside = np.zeros(number, dtype=np.bool_)
    found: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], Vectors]] = []
    products = np.empty((tile, tile), dtype=np.float32)
    close = np.empty((tile, tile), dtype=np.bool_)
    for top in range(0, number, tile):
        rows = vectors[top : top + tile]
        for left in range(top, number, tile):
            columns = vectors[left : left + tile]
            here = products[: len(rows), : len(columns)]
            is_close = close[: len(rows), : len(columns)]
            np.matmul(rows, columns.T, out=here)
            np.greater_equal(here, at_least, out=is_close)
            if top == left:
                is_close &= ~np.tri(len(rows), dtype=np.bool_)
            if not is_close.any():
                continue
            _count(is_close, top, left, count, crowded, most)
            is_full, is_full_too = crowded[top : top + len(rows)], crowded[left : left + len(columns)]
            if is_full.any() or is_full_too.any():
                beside[top : top + len(rows)] |= is_close[:, is_full_too].any(axis=1)
                beside[left : left + len(columns)] |= is_close[is_full].any(axis=0)
                is_close[is_full] = False
                is_close[:, is_full_too] = False
            row, column = np.nonzero(is_close)
            if len(row):
                found.append(((row + top).astype(np.int32), (column + left).astype(np.int32), here[row, column]))
    return _put_together(found, crowded, beside)


def _count(
    is_close: npt.NDArray[np.bool_],
    top: int,
    left: int,
    count: npt.NDArray[np.int64],
    crowded: npt.NDArray[np.bool_],
    most: int,
) -> None:
    """Add this tile's neighbours to both sides' counts, and see who has too many by now."""
    for start, axis in ((top, 1), (left, 0)):
        here = is_close.sum(axis=axis)
        count[start : start + len(here)] += here
    for start, axis in ((top, 1), (left, 0)):
        stop = start + is_close.shape[1 - axis]
        crowded[start:stop] |= count[start:stop] > most


def _put_together(
    found: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], Vectors]],
    crowded: npt.NDArray[np.bool_],
    beside: npt.NDArray[np.bool_],
) -> Neighbours:
    """One table, without the pairs of rows that turned out to be crowded later. Two near copies may lie on both sides
    of `most`: what lies beside a crowd is taken for a part of it."""
    if not found:
        none = np.empty(0, dtype=np.int32)
        return Neighbours(none, none.copy(), np.empty(0, dtype=np.float32), crowded | beside)
    first, second, cosine = (np.concatenate(each) for each in zip(*found, strict=True))
    beside[first[crowded[second]]] = True
    beside[second[crowded[first]]] = True
    crowded = crowded | beside
    kept = ~(crowded[first] | crowded[second])
    return Neighbours(first[kept], second[kept], cosine[kept], crowded)
