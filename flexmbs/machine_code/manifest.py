"""What the wheel ships: object files, and a manifest with the hash and key of each, and the hash of all sources."""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from contextlib import suppress
from pathlib import Path

from flexmbs.common.cache_folder import cache_folder, distrust, folders_to_read, read_trusted, write_whole
from flexmbs.machine_code.sources import PACKAGE, circumstances, digest_of_sources, keys
from flexmbs.machine_code.switches import BOUNDS_CHECKED
from flexmbs.machine_code.target_processor import Target

FOLDER = PACKAGE / "machine_code" / "shipped"
NAME = "manifest.json"
KEYS = "keys.json"  # in the cache folder: keys of the sources that were seen last


def known_keys(folder: Path | None = None) -> dict[str, str]:
    """Keys of all modules that hold entries: as shipped or as kept, where no file has changed since, or computed."""
    folder, sources = folder or FOLDER, digest_of_sources()
    if not BOUNDS_CHECKED:
        shipped = _parsed(read_trusted(folder / NAME))
        if shipped.get("sources") == sources and not distrust(folder):
            return {module: part["sources"] for module, part in shipped["objects"].items()}
    made_of = f"{sources}, {circumstances()}"
    for place in folders_to_read():
        kept = _parsed(read_trusted(place / KEYS))
        if kept.get("made_of") == made_of:
            return kept["keys"]
    found = keys()
    with suppress(OSError):  # a folder that cannot be written: they are computed again
        write_whole(cache_folder() / KEYS, json.dumps({"made_of": made_of, "keys": found}).encode())
    return found


def _parsed(content: bytes | None) -> dict:
    """A JSON object; empty where there is none, or it is damaged."""
    try:
        found = json.loads(content or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def write_shipped(folder: Path, objects: dict[str, bytes], keys: dict[str, str], target: Target) -> None:
    """Write object files and their manifest into a folder."""
    from importlib.metadata import version

    folder.mkdir(parents=True, exist_ok=True)
    parts = {}
    for module, content in sorted(objects.items()):
        (folder / f"{module}.o").write_bytes(content)
        parts[module] = {"sources": keys[module], "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    manifest = {
        "platform": platform_name(),
        "processor": target.name,
        "made_by": {**{name: version(name) for name in ("numba", "llvmlite")}, "python": platform.python_version()},
        "sources": digest_of_sources(),
        "objects": parts,
    }
    (folder / NAME).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def platform_name() -> str:
    """System and architecture for which object files are made."""
    return f"{sys.platform}-{platform.machine().lower()}"


def read_shipped(keys: dict[str, str], target: Target, folder: Path | None = None) -> tuple[dict[str, bytes], str]:
    """Object files of the package that can be used here, and why others cannot (empty text: all can).

    Parameters
    ----------
    keys : hashes of the sources as they are
    target : processor for which machine code is wanted
    """
    folder = folder or FOLDER
    try:
        manifest = json.loads((folder / NAME).read_text(encoding="utf-8"))
        listed = manifest["objects"]
    except FileNotFoundError:
        return {}, "this is a clone or an editable install, which has no compiled kernels with it"
    except (OSError, ValueError, KeyError, TypeError) as error:
        return {}, f"the list of shipped kernels in {folder} cannot be read ({error})"
    if target.lacking:
        return {}, f"this processor ({target.name}) has no {', '.join(target.lacking)}, which the shipped kernels need"
    if (manifest.get("platform"), manifest.get("processor")) != (platform_name(), target.name):
        return {}, f"the shipped kernels are made for {manifest.get('platform')}, {manifest.get('processor')}"
    reason = distrust(folder)
    if reason:
        return {}, f"the shipped kernels are not used: {reason}"
    found, why = {}, ""
    for module, key in keys.items():
        part = listed.get(module)
        if part is None or part["sources"] != key:
            why = why or "the sources differ from those that the shipped kernels were made of"
            continue
        try:
            content = (folder / f"{module}.o").read_bytes()
        except OSError as error:
            why = why or f"a shipped file is missing ({error})"
            continue
        if hashlib.sha256(content).hexdigest() != part["sha256"]:
            why = f"the shipped file {folder / module}.o has been altered or is damaged: it is not used"
            continue
        found[module] = content
    return found, why
