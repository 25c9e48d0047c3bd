"""Installs WordPress without Docker and without root, once, for every test to copy.

WordPress comes from the Debian package, the SQLite driver from the npm package of WordPress Playground, PHP from the
machine. `wordpress_site/` holds the theme, the configuration, and the plugin that breaks things; events are sent by the
plugin that users install.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from tests.cms.peers import PeerUnavailable, prepared

PARTS = Path(__file__).parent / "wordpress_site"
SENDER = Path(__file__).parents[2] / "examples" / "webhooks" / "wordpress" / "truecopy-events.php"
DRIVER = "@wp-playground/cli@3.1.56"


def installation() -> Path:
    """A folder with `www`, `db` and `facts.json` (application passwords, version). Raises PeerUnavailable."""
    _check_programs()
    packages = prepared("wordpress-packages", [DRIVER], _download)
    ingredients = [Path(__file__), SENDER, *sorted(PARTS.iterdir())]
    return prepared("wordpress", ingredients, lambda folder: _make(folder, packages))


def _check_programs() -> None:
    if shutil.which("php") is None:
        raise PeerUnavailable("php is not installed: apt-get install php-cli php-sqlite3 php-xml php-mbstring")
    modules = set(_run("php", "-m").lower().split())
    for module in ("pdo_sqlite", "xml", "mbstring"):
        if module not in modules:
            package = "sqlite3" if module == "pdo_sqlite" else module
            raise PeerUnavailable(f"php lacks {module}: apt-get install php-{package}")
    for program in ("apt-get", "dpkg-deb", "npm"):
        if shutil.which(program) is None:
            raise PeerUnavailable(f"{program} is not installed; it fetches WordPress and its SQLite driver")


def _download(folder: Path) -> None:
    _run("apt-get", "download", "-qq", "wordpress", cwd=folder)
    _run("npm", "pack", "--silent", DRIVER, cwd=folder)


def _make(folder: Path, packages: Path) -> None:
    _unpack(folder, next(packages.glob("wordpress_*.deb")), next(packages.glob("wp-playground-cli-*.tgz")))
    _set_up(folder)


def _unpack(folder: Path, package: Path, driver: Path) -> None:
    _run("dpkg-deb", "-x", str(package), str(folder / "deb"))
    www = (folder / "deb/usr/share/wordpress").rename(folder / "www")
    (www / "wp-config.php").unlink(missing_ok=True)
    for link in [path for path in www.rglob("*") if path.is_symlink() and not path.exists()]:
        link.unlink()  # parts that Debian keeps in packages of their own, and that no page here needs
    content = www / "wp-content"
    for name in ("languages", "uploads"):
        if (content / name).is_symlink():
            (content / name).unlink()
    plugin = content / "plugins" / "sqlite-database-integration"
    with tarfile.open(driver) as archive:
        archive.extract("package/sqlite-database-integration.zip", folder, filter="data")
    with zipfile.ZipFile(folder / "package/sqlite-database-integration.zip") as archive:
        archive.extractall(folder / "driver")
    (content / "plugins").mkdir(exist_ok=True)
    shutil.rmtree(plugin, ignore_errors=True)
    next((folder / "driver").iterdir()).rename(plugin)
    # WordPress before 6.2 reads this property of its own from outside
    wpdb = plugin / "wp-includes/sqlite/class-wp-sqlite-db.php"
    unsafe = "$allow_unsafe_unquoted_parameters"
    wpdb.write_text(wpdb.read_text().replace(f"private {unsafe}", f"protected {unsafe}"))
    shutil.copy(plugin / "db.copy", content / "db.php")
    for part, place in {
        PARTS / "wp-config.php": www,
        PARTS / "peer.php": content / "mu-plugins",
        SENDER: content / "mu-plugins",
        PARTS / "index.php": content / "themes/peer",
        PARTS / "style.css": content / "themes/peer",
    }.items():
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(part, place / part.name)
    for rest in ("deb", "driver", "package"):
        shutil.rmtree(folder / rest)


def _set_up(folder: Path) -> None:
    (folder / "db").mkdir()
    done = _run("php", str(PARTS / "setup.php"), str(folder / "www"), env=environment(folder, 80))
    facts = re.search(r"\{\"passwords.*\}", done)
    if facts is None:
        raise PeerUnavailable(f"WordPress did not install: {done[-500:]}")
    (folder / "facts.json").write_text(facts[0])


def environment(folder: Path, port: int) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PEER_FOLDER": str(folder), "PEER_PORT": str(port)}


def _run(*command: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, check=True).stdout.decode()
