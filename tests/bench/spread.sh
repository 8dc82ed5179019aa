#!/bin/bash
# What the seed sends, and when the last has it, when many machines get one image at the same time: real agents in network
# namespaces behind links of 20 Mbit/s each, the seed behind one, too. Exit 1 where a goal is missed: the seed sends the image at most
# twice, the last is there within 1.3 of the time that one machine alone takes; with a third of the machines dying, five lying and
# one packet in twenty lost, all that live have the image, in so many times of one machine's, and no disk has a block that is not the image's.
# It tells the processor time of agents and seed: where that is near to what the computer has in that time, it is the limit. Needs root, iproute2,
# iptables; takes some minutes, and 10 GB of memory for 64 machines.
#
# usage: spread.sh HEARTH SPREAD_MACHINE [MACHINES] [MIB]      SPREAD_MACHINE: build/dev/tests/e2e/deploy/spread_machine
set -euo pipefail
exec python3 -B "$(dirname "$0")/../e2e/deploy/spread_test.py" "$1" "$2" "${3:-64}" "${4:-64}"
