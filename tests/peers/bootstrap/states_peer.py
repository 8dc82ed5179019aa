"""The states of nodes as Debian's Ironic has them (ironic.common.states), beside what is recorded in
tests/unit/bootstrap/node/ironic_states.json, by which the unit tests judge ours. usage: states_peer.py FILE [--record]

--record writes the file: after an update of the package, or of this recorder. Exit 77: python3-ironic is not installed.
"""

import json
import subprocess
import sys

PACKAGE = "python3-ironic"


def as_ironic_has_them():
    try:
        from ironic.common import states
    except ImportError as error:
        print(f"SKIPPED: {PACKAGE} is not installed: {error}")
        sys.exit(77)
    machine = states.machine
    return {
        "transitions": sorted(f"{before}: {event} -> {after}" for before, event, after in machine),
        "targets": {name: machine._states[name].get("target") or "" for name in sorted(machine.states)},
        "stable": sorted(states.STABLE_STATES),
        "update_allowed": sorted(states.UPDATE_ALLOWED_STATES),
        "delete_allowed": sorted(states.DELETE_ALLOWED_STATES),
    }


def version():
    return subprocess.run(["dpkg-query", "-W", "-f", "${Version}", PACKAGE], check=True, capture_output=True, text=True).stdout


def agrees(recorded, found, same_version):
    """A later Ironic may have more, and has all that ours was judged by."""
    if same_version or recorded == found:
        return recorded == found
    as_set = (lambda value: set(value.items())) if isinstance(found, dict) else set
    return as_set(recorded) <= as_set(found)


def main(path, *options):
    found = as_ironic_has_them()
    if "--record" in options:
        with open(path, "w", encoding="utf-8") as file:
            recorded = {"recorder": "tests/peers/bootstrap/states_peer.py --record", "peer": f"{PACKAGE} {version()}", **found}
            json.dump(recorded, file, indent=1)
            file.write("\n")
        return 0
    with open(path, encoding="utf-8") as file:
        recorded = json.load(file)
    odd = [key for key, value in found.items() if not agrees(recorded.get(key), value, recorded.get("peer") == f"{PACKAGE} {version()}")]
    for key in odd:
        print(f"{key}: recorded of {recorded.get('peer')}:\n  {recorded.get(key)}\n{PACKAGE} {version()} has:\n  {found[key]}")
    print(f"{len(found['transitions'])} transitions, recorded of {recorded.get('peer')}: {'different' if odd else 'the same'}")
    return 1 if odd else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
