"""One road to a delete, one package that knows the engines."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "include"
ENGINES = {"qdrant_client", "qdrant_edge"}

# Everything with which either engine removes points, vectors, payload or collections.
REMOVING = {
    "delete_points",
    "delete_points_by_filter",
    "delete_payload",
    "delete_payload_by_filter",
    "clear_payload",
    "clear_payload_by_filter",
    "overwrite_payload",
    "overwrite_payload_by_filter",
    "delete_vectors",
    "delete_vectors_by_filter",
    "delete_collection",
    "recreate_collection",
    "batch_update_points",
    "delete_field_index",
    "delete_payload_index",
}


def _modules() -> dict[str, ast.Module]:
    return {str(file.relative_to(ROOT)): ast.parse(file.read_text()) for file in sorted(LIBRARY.rglob("*.py"))}


def _calls(tree: ast.AST) -> list[str]:
    """Dotted names of everything that is called or handed on, `self._client.delete` as "_client.delete"."""
    return [
        f"{ast.unparse(node.value).split('.')[-1]}.{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
    ]


def test_each_engine_is_asked_to_delete_in_exactly_one_place() -> None:
    found = [
        (module, name)
        for module, tree in _modules().items()
        for name in _calls(tree)
        if name.split(".")[1] in REMOVING or (name.endswith(".delete") and "client" in name)
    ]
    assert found == [
        ("include/store/edge_engine.py", "UpdateOperation.delete_points_by_filter"),
        ("include/store/server_engine.py", "_client.delete"),
    ]


def test_the_engines_delete_is_called_by_the_sessions_delete_only() -> None:
    callers = [
        (module, function.name)
        for module, tree in _modules().items()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef) and "_engine.delete" in _calls(function)
    ]
    assert callers == [("include/store/session.py", "delete")]


def test_only_the_store_imports_an_engine() -> None:
    importers = {
        module
        for module, tree in _modules().items()
        for node in ast.walk(tree)
        if (isinstance(node, ast.Import) and any(alias.name.split(".")[0] in ENGINES for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ENGINES)
    }
    assert importers
    assert all(module.startswith("include/store/") for module in importers)


def test_an_embedded_store_does_not_pay_for_importing_the_client() -> None:
    check = "import sys, include.store.registry; sys.exit('qdrant_client' in sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True, cwd=ROOT)
