"""The program that runs the documents' commands: what it takes for one, what it runs, what its record must hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs import commands

TEXT = """# A page

1. In a list:

   ```bash
   # A comment.
   export COLOUR=green
   python - <<'END'

   print("one")
   END
   ```

```
$ test "$COLOUR" = \\
    green
an answer
$ (exit 3)
```

```
nocturne --version && nocturne
```

```
Monsieur Mohamed Meziane
```

```yaml
python: 3
```

```sh
printf '%s\\n' ready; read -r -t 60 <&3
echo "it is $COLOUR"
```
"""


@pytest.fixture
def page() -> commands.Page:
    """A page with two commands that are not run, one that goes on in the background, one that fails."""
    declared = {
        "not_run": {"nocturne": "not here"},
        "background": ["printf"],
        "values": {"green": "blue"},
        "places": [],
        "after": {"export": "printf %s prepared > file"},
    }
    return commands.Page("docs/page.md", TEXT, declared)


def test_what_is_a_command(page: commands.Page) -> None:
    assert [one.text for one in page.commands] == [
        "export COLOUR=green",
        "python - <<'END'\n\nprint(\"one\")\nEND",
        'test "$COLOUR" = \\\n    green',
        "(exit 3)",
        "nocturne --version && nocturne",
        "printf '%s\\n' ready; read -r -t 60 <&3",
        'echo "it is $COLOUR"',
    ]


def test_each_is_run_as_written_and_told(page: commands.Page, tmp_path: Path) -> None:
    commands.run(page, tmp_path)
    outcomes = [one.outcome for one in page.commands]
    assert outcomes == ["passed", "passed", "passed", "failed", "not run", "passed", "passed"]
    assert (page.commands[3].status, page.commands[4].why) == (3, "not here")
    assert (page.commands[1].said, page.commands[6].said) == ("one\n", "it is blue\n")
    assert (tmp_path / "file").read_text() == "prepared"


def test_the_record_keeps_other_pages_and_drops_those_without_commands(page: commands.Page, tmp_path: Path) -> None:
    commands.run(page, tmp_path)
    path = tmp_path / "record.md"
    kept = "| `README.md` | 2 | kept |"
    path.write_text(f"{kept}\n| `docs/gone.md` | 1 | gone |\n")
    commands.record([page], path)
    lines = path.read_text().splitlines()
    assert kept in lines
    assert not [line for line in lines if "gone.md" in line]
    (row,) = (line for line in lines if line.startswith("| `docs/page.md` | 7 |"))
    assert row.startswith("| `docs/page.md` | 7 | 5 | 1 | 1 |")
    assert "| `docs/page.md` | `(exit 3)` | failed: 3 |" in lines


def test_times_are_of_the_headings_and_name_what_was_not_run(tmp_path: Path) -> None:
    first, second = "```bash\nsleep 1.2\n(exit 0)\n```", "```bash\n# A comment.\ntrue\n```"
    text = f"## One\n{first}\nA word.\n{second}\n## Two\n```bash\nmake it\n```\n"
    page = commands.Page("docs/page.md", text, {"not_run": {"make it": "not here"}})
    commands.run(page, tmp_path)
    assert [one.heading for one in page.commands] == ["One", "One", "One", "Two"]
    assert page.commands[0].seconds >= 1.2 > page.commands[1].seconds
    rows = [line.split(" | ") for line in commands.times(page).splitlines() if line.startswith("| ")][2:]
    (one, two, everything) = ([cell.strip("| ") for cell in row] for row in rows)
    assert (one[0], one[1], one[3]) == ("One", "3", "")
    assert two == ["Two", "0", "0 min 00 s", "`make it`"]
    assert (everything[0], everything[1], everything[2]) == ("In all", "3", one[2])


def test_a_command_without_an_end_is_refused() -> None:
    with pytest.raises(ValueError, match="without an end: echo 'a"):
        list(commands.commands("```sh\necho 'a\n```\n"))


def test_the_declarations_are_of_commands_that_the_pages_hold() -> None:
    pages = commands.pages()
    assert set(commands.DECLARED["pages"]) <= set(pages)
    everything = "\n".join(one.text for page in pages.values() for one in page.commands)
    assert not [begins for begins in commands.DECLARED["not_run"] if f"\n{begins}" not in f"\n{everything}"]
    stale = []
    for page in pages.values():
        texts = [one.text for one in page.commands]
        begun = [
            *page.declared.get("not_run", {}),
            *page.declared.get("after", {}),
            *page.declared.get("background", []),
        ]
        stale += [begins for begins in begun if not any(text.startswith(begins) for text in texts)]
        stale += [value for value in page.declared.get("values", {}) if value not in "\n".join(texts)]
    assert not stale


def test_the_last_run_of_a_page_is_of_its_commands_and_without_a_failure() -> None:
    """A page whose commands changed is run again: `python -m docs.commands PAGE`."""
    lines = commands.RECORD.read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in lines if line.startswith("| `")]
    last = {row[0]: (row[1], row[3], row[-1]) for row in rows if len(row) == len(commands.COLUMNS)}
    assert last == {
        name: (str(len(page.commands)), "0", page.digest)
        for name, page in commands.pages().items()
        if name not in commands.DECLARED["unrecorded"]
    }
