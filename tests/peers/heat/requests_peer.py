#!/usr/bin/python3
"""Made-up requests (made_requests.py) through what Heat's API does before it makes a stack, in process, and through
`hearth metadata validate --batch`: both accept, or both refuse for the same kind of reason.

requests_peer.py HEARTH [COUNT [FIRST_SEED]]; HEARTH_HEAT_PEER_COUNT=N takes N. Exit 0 same, 1 different, 77 skipped."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
try:
    import preview
except ImportError as missing:
    print("SKIPPED: %s" % missing)
    sys.exit(77)
import made_requests  # noqa: E402


def main(arguments):
    count = int(os.environ.get("HEARTH_HEAT_PEER_COUNT") or (arguments[1] if len(arguments) > 1 else 300))
    first = int(arguments[2]) if len(arguments) > 2 else 1
    service = preview.Service()
    bodies = [made_requests.request(seed) for seed in range(first, first + count)]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump([{"body": body} for body in bodies], file)
        file.flush()
        done = subprocess.run([os.path.abspath(arguments[0]), "metadata", "validate", "--batch", file.name], stdout=subprocess.PIPE, check=True, timeout=600)
    bad = refused = 0
    for number, (body, mine) in enumerate(zip(bodies, json.loads(done.stdout))):
        kind, message = service.refuses(json.loads(json.dumps(body)))
        refused += kind is not None
        # A circle in deletion_policy ends Heat's stack of calls.
        if mine.get("error") != kind and kind not in ("RecursionError", "ConnectFailure"):
            bad += 1
            print("seed %d: %s\n    heat   %s: %s\n    hearth %s" % (first + number, json.dumps(body), kind, message, mine))
    print("%d requests, %d of them refused, %d different" % (count, refused, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
