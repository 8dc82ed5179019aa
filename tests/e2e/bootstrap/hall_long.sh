#!/bin/bash
# Halls of 100 nodes, of four times as many, and so on to 102,400: with twice the nodes each operation may take 2.3 times as much of the
# processor, and with four times the nodes 5.3 times.
#
# usage: hall_long.sh BOOTSTRAP_UNIT_TESTS
set -euo pipefail
[ -n "${HEARTH_LONG:-}" ] || { echo "SKIPPED: HEARTH_LONG is not set" && exit 77; }
HEARTH_HALL_NODES=${HEARTH_HALL_NODES:-102400} exec "$1" --gtest_filter=HallTest.TwiceTheNodesTakeLittleMoreThanTwiceTheTime
