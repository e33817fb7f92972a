"""Checks that the built site is a reference: each public callable is on it, with its arguments, searchable and
linkable.

Run with the folder of the site, after `mkdocs build`. What an editor shows of a call is the same text
(check_stub_docs.py holds stub and module together).
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import griffe

ROOT = Path(__file__).resolve().parent.parent
DIRECTIVE = re.compile(r"^::: (\S+)((?:\n +.*)*)", re.MULTILINE)
MEMBERS = re.compile(r"members:\s*(?:\[(.*)\]|((?:\n\s+- \w+)+))")
UNITS = re.compile(r"[Ss]econds?\b|\bms\b|[Mm]illiseconds|[Bb]ytes")
MEASURED = re.compile(r"timeout|seconds|duration|latency|interval|_ms$|bytes|size")
DOES = re.compile(r"(Adds|Alters|Begins|Changes|Commits|Creates|Deletes|Elects|Forgets|Gives|Sets)\b")
TOLD = re.compile(r"\b(returns?|tells)\b")
FOREIGN = re.compile(r"<(?:script|img|iframe)[^>]+src=\"https?:|<link[^>]+rel=\"stylesheet\"[^>]+href=\"https?:")

PUBLIC = ("", "aio", "testing", "admin", "serde", "compat", "parallel", "prometheus", "opentelemetry")
ELSEWHERE = {"__version__", "errors", "FACES"}
"""The version, a module that has a page, and what only says which faces there are."""

# What asyncio says of its own futures is what these do; they are here for it to call.
OF_ASYNCIO = {*dir(asyncio.Future), "throw", "send"}


def load() -> griffe.Module:
    """The package as the site's generator reads it."""
    found = griffe.load(
        "kafkars", search_paths=[str(ROOT / "python")], allow_inspection=False, find_stubs_package=False
    )
    if not isinstance(found, griffe.Module):
        raise TypeError(found)
    return found


def shown() -> Iterator[tuple[str, griffe.Object]]:
    """Functions and methods of the reference's pages, by their anchors."""
    package = load()
    for page in sorted((ROOT / "docs" / "reference" / "api").glob("*.md")):
        for name, options in DIRECTIVE.findall(page.read_text()):
            found = MEMBERS.search(options)
            chosen = re.findall(r"\w+", found[1] or found[2]) if found else None
            yield from callables(package[name.removeprefix("kafkars.")], name, chosen)


def roots() -> Iterator[str]:
    """What the pages name, and what the modules hold that they name."""
    package = load()
    for page in (ROOT / "docs" / "reference" / "api").glob("*.md"):
        for name, _ in DIRECTIVE.findall(page.read_text()):
            yield name
            thing = package[name.removeprefix("kafkars.")]
            if thing.is_module:
                yield from (f"{name}.{member}" for member in thing.members)


def callables(
    thing: griffe.Object | griffe.Alias, name: str, chosen: list[str] | None = None
) -> Iterator[tuple[str, griffe.Object]]:
    """The thing itself, or its public members."""
    target = thing.final_target if isinstance(thing, griffe.Alias) else thing
    if target.is_function:
        yield name, target
    elif target.is_class or target.is_module:
        for member, each in {**target.inherited_members, **target.members}.items():
            if member.startswith("_") or (chosen is not None and member not in chosen):
                continue
            if target.is_class or not each.is_alias:
                yield from callables(each, f"{name}.{member}")


def unshown(shown_names: set[str]) -> Iterator[str]:
    """Public names that no page of the reference shows. Errors and configs have pages of their own."""
    package = load()
    last = {part for name in shown_names for part in name.split(".")}
    for module in PUBLIC:
        for name in package[module].exports if module else package.exports:
            text = str(name)
            if text not in last and not text.endswith("Config") and text not in ELSEWHERE:
                yield f"{module or 'kafkars'}: {text} is on no page of the reference"


def missing(name: str, function: griffe.Object) -> Iterator[str]:
    """What a docstring does not say."""
    if function.docstring is None:
        yield f"{name}: says nothing"
        return
    text = function.docstring.value
    sections = function.docstring.parse("google", warnings=False)
    described = {
        each.name: each.description for part in sections if part.kind.value == "parameters" for each in part.value
    }
    if name.split(".")[-2] in {"Future", "Call"} and name.rpartition(".")[2] in OF_ASYNCIO:
        return
    given = re.sub(r"^Call\[(.*)\]$", r"\1", str(getattr(function, "returns", None)))
    first = text.partition("\n\n")[0]
    is_told = TOLD.search(first) or "returns" in {part.kind.value for part in sections}
    if given.startswith("dict") and DOES.match(first) and not is_told:
        yield f"{name}: does not say what it returns"
    for parameter in function.parameters:
        if parameter.name in {"self", "cls"}:
            continue
        said = described.get(parameter.name.lstrip("*"), described.get(parameter.name))
        if said is None and f"`{parameter.name}`" in text:
            said = text
        if said is None:
            yield f"{name}: does not say what `{parameter.name}` is"
        elif MEASURED.search(parameter.name) and not UNITS.search(said):
            yield f"{name}: does not say in what `{parameter.name}` is measured"


def wrong_site(site: Path, names: set[str]) -> Iterator[str]:
    """What the built site lacks."""
    index = json.loads((site / "search" / "search_index.json").read_text())
    found = {entry["location"].partition("#")[2] for entry in index["docs"]}
    for name in sorted(names - found):
        yield f"{name}: cannot be found by the site's search"
    front = (site / "index.html").read_text()
    for scheme in ("default", "slate"):
        if f'data-md-color-scheme="{scheme}"' not in front:
            yield f"the site has no {scheme} colours: it is to be read in the light and in the dark"
    if 'data-md-component="search"' not in front:
        yield "the site has no field to search in"
    settings = (site / "reference" / "settings" / "index.html").read_text()
    for anchor in (
        "client-bootstrap_servers",
        "producer-linger_ms",
        "consumer-group_id",
        "admin-default_api_timeout_ms",
    ):
        if f'id="{anchor}"' not in settings:
            yield f"the setting {anchor} cannot be linked to"
    for page in site.rglob("*.html"):
        if FOREIGN.search(page.read_text()):
            yield f"{page.relative_to(site)}: loads something from elsewhere"


def main() -> int:
    """Looks at docstrings and site."""
    logging.getLogger("griffe").setLevel(logging.CRITICAL)
    functions = dict(shown())
    wrong = [each for name, function in functions.items() for each in missing(name, function)]
    wrong += unshown(set(roots()))
    wrong += wrong_site(Path(sys.argv[1]), set(functions))
    for each in wrong:
        print(each)
    if "--count" in sys.argv[2:]:
        print(f"{len(functions)} functions and methods in the reference")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
