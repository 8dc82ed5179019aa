#!/bin/bash
# `hearth metadata lsp` and the protocol library that VS Code is made of. usage: lsp.sh HEARTH FOLDER   (FOLDER: where that is
# installed and kept). It comes from npm, at the version and digest of package-lock.json.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
hearth=$1 folder=$2
. "$here/../npm.sh"

with_npm "$here" "$folder" vscode-languageserver-protocol
exec timeout 60 node "$folder/lsp.mjs" "$hearth"
