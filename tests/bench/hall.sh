#!/bin/bash
# How large a site can be: what a node costs the conductor in halls of several sizes (hall.py), then a fleet of 13,500 machines from
# nothing to available on one core, with 1,000 deployments at once (hall_fleet.py), and the page in Chromium (hall_page.sh; 77: there is
# none). Exit 1 where a goal is missed.
#
# usage: hall.sh HEARTH [NODES…]      NODES: the halls' sizes (100 1000 10000)
set -euo pipefail
here=$(dirname "$0")
hearth=$1
shift
[ $# -gt 0 ] || set -- 100 1000 10000
missed=0
python3 -B "$here/hall.py" "$hearth" "$@" || missed=1
python3 -B "$here/hall_fleet.py" "$hearth" || missed=1
bash "$here/hall_page.sh" "$hearth" || [ $? -eq 77 ] || missed=1
exit $missed
