#!/bin/bash
# The status page with many nodes, in headless Chromium (hall_page.mjs). usage: hall_page.sh HEARTH [NODES…]
# Exit 1 where a goal is missed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
hearth=$1
shift
[ $# -gt 0 ] || set -- 1000 10000
. "$here/../e2e/npm.sh"

folder=${TMPDIR:-/tmp}/hearth-bench-page-$UID
with_npm "$here/../e2e/page" "$folder" playwright-core chromium
cp "$here/hall_page.mjs" "$folder/"
CHROMIUM=$(command -v chromium) exec timeout 600 node "$folder/hall_page.mjs" "$hearth" "$@"
