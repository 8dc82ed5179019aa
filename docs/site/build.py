#!/usr/bin/env python3
"""The manual as a site of plain files, with a search: the pages of docs/, all READMEs, and a page of each command, made from the
program's own tables. It loads nothing from elsewhere and works from a directory. Needs Debian's python3-markdown.

usage: build.py SOURCE HEARTH OUTPUT     HEARTH: the program; OUTPUT: a directory, made anew
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys

try:
    import markdown
except ImportError:
    sys.exit(f"{sys.executable} has no module markdown. Debian's package python3-markdown (bash cmake/install-packages.sh test) "
             "brings it to /usr/bin/python3 alone: start this with that one")

HERE = os.path.dirname(os.path.abspath(__file__))
LEFT_OUT = {".git", ".ci", "build", "node_modules", "output", "__pycache__"}
OF_TESTS = ("tests/README.md", "tests/mutation/README.md")  # others there are of elements that only tests use
LINK = re.compile(r'(href|src)="([^"#:]+)(#[^"]*)?"')
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} - Hearth</title>
<link rel="stylesheet" href="{up}style.css">
</head>
<body data-up="{up}">
<header>
<a class="home" href="{up}docs/README.html">Hearth</a>
<label>Search <input id="search" type="search" autocomplete="off" accesskey="s" placeholder="s or /"></label>
</header>
<div class="columns">
<nav aria-label="The manual">{nav}</nav>
<main><ol id="found" aria-live="polite" hidden></ol><article>
{body}
</article></main>
</div>
<script src="{up}search-index.js"></script>
<script src="{up}search.js"></script>
</body>
</html>
"""
REFERENCES = ("drivers.md", "keys.md", "variables.md")  # which the program makes, too
PARTS = (("Tutorials", "docs/tutorials"), ("How do I …", "docs/howto"), ("Reference", "docs/reference"),
         ("Explanations", "docs/explanation"), ("Coming from", "docs/coming-from"))


def pages_of_tree(source):
    """Markdown files by their path below the source."""
    found = {}
    for folder, folders, names in os.walk(source):
        folders[:] = [name for name in sorted(folders) if name not in LEFT_OUT]
        for name in sorted(names):
            path = os.path.join(folder, name)
            page = os.path.relpath(path, source)
            if name.endswith(".md") and (not page.startswith("tests/") or page in OF_TESTS):
                with open(path, encoding="utf-8") as file:
                    found[page] = file.read()
    return found


def output_of(hearth, *words):
    """Of Hearth alone: elements that this machine has besides have no page here."""
    own = {name: value for name, value in os.environ.items() if name != "ELEMENTS_PATH"} | {"HEARTH_UPSTREAM_ELEMENTS": "no"}
    return subprocess.run([hearth, *words], capture_output=True, text=True, check=True, timeout=120, env=own).stdout


def markdown_of(program, scratch):
    """The pages that a program writes of its own commands."""
    output_of(program, "help", "--markdown", scratch)
    for name in sorted(os.listdir(scratch)):
        with open(os.path.join(scratch, name), encoding="utf-8") as file:
            yield name, file.read()
    shutil.rmtree(scratch)


def pages_of_program(hearth, scratch):
    """What the program tells of itself: commands and topics, drivers, elements."""
    found = {f"docs/reference/{name}" if name in REFERENCES else f"commands/{name}": text for name, text in markdown_of(hearth, scratch)}
    agent = os.path.join(os.path.dirname(os.path.abspath(hearth)), "hearth-agent")  # beside it, built and installed
    found.update((f"commands/agent/{name}", text.replace("# Commands\n", "# Programs of hearth-agent\n", 1)) for name, text in markdown_of(agent, scratch))
    found["docs/reference/elements.md"] = elements_page(json.loads(output_of(hearth, "element", "list", "--json")))
    found["docs/reference/variables.md"] = with_links(found["docs/reference/variables.md"])
    return found


def cell(text):
    return re.sub(r"([\\`*_|<>\[\]])", r"\\\1", text)


def elements_page(elements):
    lines = ["# Elements", "", "As `hearth element list` prints them; each leads to its README.", "", "| element | what |", "|---|---|"]
    lines += [f"| [{cell(one['name'])}](../../elements/{one['name']}/README.md) | {cell(one['summary'])} |" for one in elements]
    return "\n".join(lines + [""])


def with_links(text):
    """The elements of a row of variables lead to their READMEs."""
    def row(found):
        names = found.group(2).replace("\\", "").split(", ")
        return f"| {found.group(1)} | {', '.join(f'[{cell(each)}](../../elements/{each}/README.md)' for each in names)} |"

    return re.sub(r"^\| (`\w+`) \| (.*) \|$", row, text, flags=re.MULTILINE)


def title_of(text):
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return found.group(1).replace("\\", "") if found else "Hearth"


def navigation(pages, up):
    lines = []
    for title, folder in PARTS:
        names = [path for path in pages if os.path.dirname(path) == folder]
        rows = "".join(f'<li><a href="{up}{path[:-3]}.html">{html.escape(title_of(pages[path]))}</a></li>' for path in names)
        lines.append(f"<details><summary>{title}</summary><ul>{rows}</ul></details>")
    lines.append(f'<p><a href="{up}commands/commands.html">All commands</a></p>')
    lines.append(f'<p><a href="{up}commands/agent/commands.html">Programs of hearth-agent</a></p>')
    return "".join(lines)


class Site:
    def __init__(self, source, output, pages):
        self.source, self.output, self.pages = source, output, pages
        self.index = []

    def address(self, page, target):
        """Where a link of the page leads in the site; what is no page is copied beside it."""
        path = os.path.normpath(os.path.join(os.path.dirname(page), target))
        if path in self.pages:
            return target[:-3] + ".html"
        if path == "elements":
            return os.path.relpath("docs/reference/elements.html", os.path.dirname(page) or ".")
        if os.path.join(path, "README.md") in self.pages:
            return os.path.join(target, "README.html")
        whole = os.path.join(self.source, path)
        if not os.path.isfile(whole):
            sys.exit(f"{page}: the link {target} leads nowhere")
        copy = os.path.join(self.output, path)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copyfile(whole, copy)
        return target

    def add(self, page):
        text = self.pages[page]
        reader = markdown.Markdown(extensions=["tables", "fenced_code", "toc", "sane_lists"])
        body = reader.convert(text)
        body = LINK.sub(lambda found: f'{found[1]}="{self.address(page, found[2])}{found[3] or ""}"', body)
        up = "../" * page.count("/")
        target = os.path.join(self.output, page[:-3] + ".html")
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(PAGE.format(title=html.escape(title_of(text)), up=up, nav=navigation(self.pages, up), body=body))
        self.add_to_index(page[:-3] + ".html", title_of(text), body)

    def add_to_index(self, address, title, body):
        """One row for each section: address, title of the page, headline, text."""
        parts = re.split(r'<h[1-4] id="([^"]*)">(.*?)</h[1-4]>', body, flags=re.DOTALL)
        for anchor, headline, text in zip(parts[1::3], parts[2::3], parts[3::3]):
            self.index.append([f"{address}#{anchor}", title, words_of(headline), words_of(text)])

    def finish(self):
        with open(os.path.join(self.output, "search-index.js"), "w", encoding="utf-8") as file:
            file.write(f"const searchIndex = {json.dumps(self.index, ensure_ascii=False, separators=(',', ':'))};\n")
        with open(os.path.join(self.output, "index.html"), "w", encoding="utf-8") as file:
            file.write('<!DOCTYPE html>\n<meta http-equiv="refresh" content="0; url=docs/README.html">\n'
                       '<a href="docs/README.html">The manual</a>\n')
        for name in ("style.css", "search.js"):
            shutil.copyfile(os.path.join(HERE, name), os.path.join(self.output, name))


def words_of(body):
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body))).strip()


def main(source, hearth, output):
    shutil.rmtree(output, ignore_errors=True)
    os.makedirs(output)
    pages = {**pages_of_tree(source), **pages_of_program(hearth, os.path.join(output, "commands.new"))}
    site = Site(source, output, pages)
    for page in pages:
        site.add(page)
    site.finish()
    print(f"{len(pages)} pages: {os.path.join(output, 'index.html')}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
