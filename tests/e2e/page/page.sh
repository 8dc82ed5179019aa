#!/bin/bash
# The status page in headless Chromium. usage: page.sh HEARTH FOLDER   (FOLDER: where playwright-core is installed and kept)
# Chromium is Debian's; playwright-core comes from npm, at the version and digest of package-lock.json.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
hearth=$1 folder=$2

skip() {
  echo "skipped: $*"
  exit 77
}

for program in node npm chromium; do
  command -v "$program" >/dev/null || skip "there is no $program (cmake/install-packages.sh peers)"
done
mkdir -p "$folder"
if ! cmp -s "$here/package-lock.json" "$folder/installed"; then
  cp "$here/package.json" "$here/package-lock.json" "$folder/"
  (cd "$folder" && timeout 120 npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1) ||
    skip "npm can't install playwright-core: $(tail -n 1 "$folder/npm.log")"
  cp "$here/package-lock.json" "$folder/installed"
fi
cp "$here"/*.mjs "$folder/" # modules are looked up beside the file that imports them
CHROMIUM=$(command -v chromium) exec timeout 240 node "$folder/page.mjs" "$hearth"
