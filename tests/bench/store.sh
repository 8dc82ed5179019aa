#!/bin/bash
# A store of N layers (1,000,000) of 1 MiB each, with their records: listed, half of it pruned, then all but what is pinned, by age. Goal:
# each in under 60 s of processor time and 200 MB, which are checked; the time by the clock is told, and is that of the disk and of what else
# runs. The layers are holes, so that the disk holds none of their bytes. usage: store.sh HEARTH [N]      TMPDIR: a place for 3 N files
set -euo pipefail
hearth=$(readlink -f "$1")
count=${2:-1000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 - "$work/cache/layers" "$count" << 'END'
import hashlib, json, os, sys
store, count = sys.argv[1], int(sys.argv[2])
os.makedirs(store + "/blobs")
os.makedirs(store + "/records")
facts = {f"env VARIABLE_{n}": hashlib.md5(str(n).encode()).hexdigest() for n in range(40)}  # as a small step of a real build
for i in range(count):
    blob = hashlib.sha256(b"blob %d" % i).hexdigest()
    with open(f"{store}/blobs/{blob}", "wb") as file:
        file.truncate(1 << 20)
    os.utime(f"{store}/blobs/{blob}", (1600000000 + i, 1600000000 + i))
    key = f"{store}/records/" + hashlib.sha256(b"key %d" % i).hexdigest()
    os.mkdir(key)
    step = {"step": "install.d/50-x", "element": "x", "seconds": 1.5, "facts": facts}
    record = {"version": 4, "parent": key[-64:], "planned": ["install.d/50-x"], "steps": [step], "phase": "install", "rest": [],
              "copy": False, "began": 0, "ended": 0, "blob": blob, "bytes": 1 << 20}
    with open(f"{key}/{blob}.json", "w") as file:
        json.dump(record, file, separators=(",", ":"), sort_keys=True)
END
missed=0
measure() {
    /usr/bin/time -o "$work/took" -f '%U %S %e %M' "$hearth" cache "${@:2}" --image-cache "$work/cache" > "$work/out"
    awk -v what="$1" -v said="$(tail -n 1 "$work/out")" '{
        printf "%s: %.1f s of processor time, %s s by the clock, %d MB; %s\n", what, $1 + $2, $3, $4 / 1024, said
        exit $1 + $2 > 60 || $4 > 200 * 1024 }' "$work/took" || missed=1
}
measure list list
measure prune prune --keep $((count / 2048))
mkdir "$work/web.d"
find "$work/cache/layers/blobs" -type f -printf '"%f"\n' | awk 'NR <= 3' | paste -sd, | sed 's/.*/{"layers": [&]}/' > "$work/web.d/steps.json"
"$hearth" cache pin "$work/web" --image-cache "$work/cache" > "$work/out"
measure "prune by age" prune --unused-for 1
[ "$(find "$work/cache/layers/blobs" -type f | wc -l)" = 3 ] || { echo "pinned layers are gone" >&2 && missed=1; }
exit $missed
