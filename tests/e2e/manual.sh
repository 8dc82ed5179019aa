#!/bin/bash
# The manual's site: every page is made, every link in it leads somewhere, it loads nothing from elsewhere, and the search has what a
# newcomer types. usage: manual.sh SOURCE PYTHON     (HEARTH: the program)
set -euo pipefail
source=$1
python=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if said=$("$python" -S -B "$source/docs/site/build.py" "$source" "$HEARTH" "$work/none" 2>&1); then
    echo "a site is made without the module that makes it" && exit 1
fi
case $said in "$python has no module markdown"*) ;; *) echo "it does not say which python lacks it: $said" && exit 1 ;; esac
"$python" -B "$source/docs/site/build.py" "$source" "$HEARTH" "$work/site"
"$python" -B - "$work/site" << 'END'
import html.parser
import json
import os
import sys

site = sys.argv[1]
faults, pages = [], {}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.ids = [], set()

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.links += [(tag, given[key]) for key in ("href", "src") if given.get(key)]
        self.ids.add(given.get("id"))


for folder, _, names in os.walk(site):
    for name in names:
        if name.endswith(".html"):
            path = os.path.join(folder, name)
            pages[path] = Page()
            with open(path, encoding="utf-8") as file:
                pages[path].feed(file.read())
for path, page in pages.items():
    for tag, link in page.links:
        if ":" in link.split("/")[0]:
            if tag != "a":
                faults.append(f"{path}: {tag} loads {link}")
            continue
        file, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        if not os.path.isfile(target):
            faults.append(f"{path}: {link} leads nowhere")
        elif anchor and target in pages and anchor not in pages[target].ids:
            faults.append(f"{path}: {link} has no such headline")
with open(os.path.join(site, "search-index.js"), encoding="utf-8") as file:
    index = json.loads(file.read().removeprefix("const searchIndex = ").removesuffix(";\n"))
for words, wanted in {"log in ssh": "docs/howto/ssh.html", "redfish_verify_ca": "docs/reference/drivers.html",
                      "exit status": "commands/exit-codes.html", "/v1/nodes/*/states/power": "commands/rest-calls.html",
                      "dib_dev_user_username": "docs/reference/variables.html", "machines[].firmware": "docs/reference/keys.html", "how hearth is tested": "tests/README.html", "remote-cache-key": "commands/hearth-image-create.html",
                      "purge-provider": "commands/agent/hearth-agent-os-net-config.html"}.items():
    found = [row[0] for row in index if all(word in " ".join(row[1:]).lower() for word in words.split())]
    if not any(address.startswith(wanted) for address in found):
        faults.append(f"the search finds {found[:5]} for '{words}', but not {wanted}")
reached, ahead = set(), [os.path.join(site, "index.html")]
while ahead:
    path = ahead.pop()
    if path in reached or path not in pages:
        continue
    reached.add(path)
    ahead += [os.path.normpath(os.path.join(os.path.dirname(path), link.partition("#")[0])) for _, link in pages[path].links]
faults += [f"{path}: no page leads to it" for path in sorted(pages.keys() - reached)]
print("\n".join(faults))
print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links, {len(index)} sections")
sys.exit(1 if faults or len(pages) < 150 else 0)
END
