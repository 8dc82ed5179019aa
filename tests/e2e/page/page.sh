#!/bin/bash
# The status page in headless Chromium. usage: page.sh HEARTH FOLDER   (FOLDER: where playwright-core is installed and kept)
# Chromium is Debian's; playwright-core comes from npm, at the version and digest of package-lock.json.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
hearth=$1 folder=$2
. "$here/../npm.sh"

with_npm "$here" "$folder" playwright-core chromium
HEARTH_DOC_PICTURES=$here/../../../docs/pictures CHROMIUM=$(command -v chromium) exec timeout 900 node "$folder/page.mjs" "$hearth" "$here"
