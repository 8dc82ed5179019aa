#!/bin/bash
# `hearth metadata lsp` and the protocol library that VS Code is made of. usage: lsp.sh HEARTH FOLDER   (FOLDER: where that is
# installed and kept). It comes from npm, at the version and digest of package-lock.json.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
hearth=$1 folder=$2

skip() {
  echo "skipped: $*"
  exit 77
}

for program in node npm; do
  command -v "$program" >/dev/null || skip "there is no $program (cmake/install-packages.sh peers)"
done
mkdir -p "$folder"
if ! cmp -s "$here/package-lock.json" "$folder/installed"; then
  cp "$here/package.json" "$here/package-lock.json" "$folder/"
  (cd "$folder" && timeout 120 npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1) ||
    skip "npm can't install vscode-languageserver-protocol: $(tail -n 1 "$folder/npm.log")"
  cp "$here/package-lock.json" "$folder/installed"
fi
cp "$here/lsp.mjs" "$folder/" # modules are looked up beside the file that imports them
exec timeout 60 node "$folder/lsp.mjs" "$hearth"
