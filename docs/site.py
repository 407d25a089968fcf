"""Hooks of the documentation site (mkdocs.yml): pages that do not lie in `docs/`, links that leave it, French pages."""

from __future__ import annotations

import ast
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
# Page of the site → file of the repository that it shows.
ELSEWHERE = {"index.md": "README.md", "contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
DECISIONS = "decisions/index.md"
_LINK = re.compile(
    r"(?P<code>^```.*?^```|`[^`\n]*`)|(?P<text>!?\[[^\]]*\])\((?P<target>[^)\s#]*)(?P<anchor>#[^)\s]*)?\)", re.M | re.S
)


def on_files(files: Files, config: Any) -> Files:
    """Add the pages whose text stands elsewhere or is taken from the code."""
    for page, source in ELSEWHERE.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    files.append(File.generated(config, DECISIONS, content=decisions()))
    files.append(File.generated(config, "policy.md", content=policy_keys()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Lead each link to the page that shows the file it names, else to the repository, else make it plain text."""
    here = page.file.src_uri
    source = ELSEWHERE.get(here, f"docs/{here}")
    shown = {f"docs/{file.src_uri}": file.src_uri for file in files} | {name: one for one, name in ELSEWHERE.items()}
    shown["docs/decisions"] = DECISIONS

    def lead(found: re.Match[str]) -> str:
        text, target, anchor = found["text"], found["target"], found["anchor"] or ""
        if found["code"] or not target or "://" in target or target.startswith("mailto:"):
            return found.group()
        named = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if named in shown:
            return f"{text}({posixpath.relpath(shown[named], posixpath.dirname(here) or '.')}{anchor})"
        if not (ROOT / named).exists():
            return found.group()  # mkdocs refuses it
        repository = config.extra["repository"].rstrip("/")
        return f"{text}({repository}/{named}{anchor})" if repository else text.removeprefix("!")[1:-1]

    return _LINK.sub(lead, markdown)


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:
    """Write the empty heads of a table as ordinary cells, as assistive technology reads them."""
    del page, config, files
    return html.replace("<th></th>", "<td></td>")


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Tell the language of a French page's text and of its contents (menus stay English), and name the search."""
    del config
    output = output.replace('role="dialog"', 'role="dialog" aria-label="Search"', 1)
    if page.file.src_uri.startswith("fr/") or page.file.src_uri == "stewards.md":
        for element in ('<article class="md-content__inner', '<ul class="md-nav__list" data-md-component="toc"'):
            output = output.replace(element, element.replace(" ", ' lang="fr" ', 1))
    return output


def decisions() -> str:
    """The list of dated decisions, the last one first."""
    paths = sorted((ROOT / "docs/decisions").glob("*.md"), reverse=True)
    rows = [
        f"| {path.name[:10]} | [{path.read_text(encoding='utf-8').splitlines()[0][2:]}]({path.name}) |"
        for path in paths
    ]
    return "\n".join(
        ["# Decisions", "", "Superseded rather than edited.", "", "| Day | Decision |", "|---|---|", *rows]
    )


def policy_keys() -> str:
    """The keys of a policy with their types, defaults and meaning, from `deid/config/policy.py`; the shipped policy."""
    lines = [
        "# Policy",
        "",
        "`python -m deid policy show` writes the policy in force, `policy validate` checks one.",
        "",
    ]
    for part in ast.parse((ROOT / "deid/config/policy.py").read_text(encoding="utf-8")).body:
        if not (isinstance(part, ast.ClassDef) and any(getattr(base, "id", "") == "Section" for base in part.bases)):
            continue
        lines += [f"## {part.name}", "", ast.get_docstring(part) or "", "", "| Key | Type | Default |", "|---|---|---|"]
        for key in part.body:
            if isinstance(key, ast.AnnAssign):
                cells = (
                    ast.unparse(key.target),
                    ast.unparse(key.annotation),
                    ast.unparse(key.value) if key.value else "",
                )
                lines.append(
                    "| " + " | ".join(f"`{cell}`".replace("|", "\\|") if cell else "required" for cell in cells) + " |"
                )
        lines.append("")
    shipped = (ROOT / "deid/config/policies/default.yaml").read_text(encoding="utf-8")
    return "\n".join([*lines, "## The policy that ships", "", "```yaml", shipped, "```"])
