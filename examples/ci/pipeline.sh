#!/bin/bash
# One run of a pipeline: check, build, start, keep. usage: pipeline.sh [OUTPUT-DIRECTORY]     default: output
#
# HEARTH names the program (hearth). A cache that runs share: /etc/hearth.conf, ~/.config/hearth/hearth.conf.
# Exit codes: 0 done, 1 failed, 2 wrong usage, a failing hook's own.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
hearth=${HEARTH:-hearth}
export ELEMENTS_PATH=$here/elements
mkdir -p "${1:-output}"
cd "${1:-output}"

"$hearth" element lint --strict "$ELEMENTS_PATH"
"$hearth" image create "$here/images.yaml"
"$hearth" image test web.qcow2 --checks "$here/web.checks.yaml" --junit web.test.xml --timeout 600
