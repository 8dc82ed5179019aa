#!/bin/bash
# Our agent against Debian's Python programs, in one run on the same inputs: wall and CPU time, memory, size.
# Usage: agent.sh BINARY [ROUNDS]. Needs python3-os-collect-config, -apply-config, -refresh-config and -dib-utils.
set -eu
set -o pipefail

binary=$(readlink -f "$1")
exec python3 "$(dirname "$0")/agent.py" "$binary" "${2:-10}"
