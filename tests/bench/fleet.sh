#!/bin/bash
# Many images of one file beside what their distinct steps cost: BASES bases of VARIANTS variants each, whose steps take
# processor time (a second a base, a fifth of one a variant). Distinct work, measured in the same run: the first image of each
# base built alone from nothing, and for every other one what an image takes alone that goes on from its base's layer (the mean
# of one a base). Then all in one `hearth image create`, from nothing again, with --jobs 1 and 2. Steps that ran are counted by
# what the hooks themselves said.
#
# usage: fleet.sh HEARTH [BASES] [VARIANTS]      root or sub-ids, no network
set -euo pipefail

hearth=$(readlink -f "$1")
bases=${2:-10}
variants=${3:-10}
tree=$(readlink -f "$(dirname "$0")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work"
export ELEMENTS_PATH=$work/elements:$tree/tests/e2e/elements SOURCE_DATE_EPOCH=1700000000
unset HEARTH_CACHE

# hook PATH: stdin becomes an executable hook.
hook() {
    mkdir -p "elements/$(dirname "$1")"
    { printf '#!/bin/bash\nset -eu\n' && cat; } > "elements/$1"
    chmod 0755 "elements/$1"
}
hook base/pre-install.d/10-base <<< 'echo "a base runs"; for ((i = 0; i < 400000; ++i)); do :; done; echo "$DIB_BASE" > /etc/base'
hook variant/install.d/50-variant <<< 'echo "a variant runs"; for ((i = 0; i < 80000; ++i)); do :; done; echo "$VARIANT" > /etc/variant'
cat > images.yaml << END
- imagename: i-\${base}-\${variant}
  matrix: {base: [$(seq -s, "$bases")], variant: [$(seq -s, "$variants")]}
  elements: [tiny-os, base, variant]
  types: [tar]
  skip-base: true
  environment: {DIB_BASE: "\${base}", VARIANT: "\${variant}"}
END

# processor COMMAND…: what it takes of user and system time, in seconds; its children's, too.
processor() {
    local TIMEFORMAT='%U %S'
    { time "$@" > said 2>&1 < /dev/null || { cat said >&2 && exit 1; }; } 2> took
    awk '{ print $1 + $2 }' took
}
alone() { env DIB_IMAGE_CACHE="$work/cache-alone" DIB_BASE="$1" VARIANT="$2" "$hearth" image create -n -t tar -o "alone-$1-$2" tiny-os base variant; }
# What all images take of memory at once, sampled: anonymous memory of the processes; work areas by what the builds noted.
watch_memory() {
    local most=0 now
    while kill -0 "$1" 2> /dev/null; do
        now=$(ps -e -o pid=,ppid= | sort -n | awk -v root="$1" '{ parent[$1] = $2 } END { for (p in parent) {
            for (q = p; q in parent && q != root; q = parent[q]); if (q == root) print p } }' |
            while read -r pid; do awk '$1 == "RssAnon:" { print $2 }' "/proc/$pid/status" 2> /dev/null || true; done | awk '{ s += $1 } END { print s + 0 }')
        [ "$now" -le "$most" ] || most=$now
        sleep 0.2
    done
    echo "$most"
}

distinct=$("$hearth" image plan --json images.yaml | jq .distinct)
echo "$((bases * variants)) images, $("$hearth" image plan --json images.yaml | jq .steps) steps, $distinct of them distinct"
for base in $(seq "$bases"); do
    processor alone "$base" 1 >> first
    processor alone "$base" 2 >> others
done
expected=$(awk -v first="$(awk '{ s += $1 } END { print s }' first)" -v mean="$(awk '{ s += $1 } END { print s / NR }' others)" \
    -v n=$((bases * (variants - 1))) 'BEGIN { printf "%.2f", first + n * mean }')
echo "distinct work, each alone: $expected s of processor time"
for jobs in 1 2; do
    rm -rf cache i-*.tar i-*.d
    began=$EPOCHREALTIME
    DIB_IMAGE_CACHE=$work/cache processor "$hearth" image create --jobs "$jobs" --memory 1GiB images.yaml > all &
    job=$!
    watch_memory "$job" > memory
    wait "$job"
    took=$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
    ran=$(cat i-*.d/build.log | grep -cE 'a (base|variant) runs')
    areas=$(jq -s 'map(.work_area_bytes) | max' i-*.d/steps.json)
    printf -- '--jobs %s: %s s of processor time in %s s, ratio %s (goal 1.15); %s hooks ran, %s distinct; work areas at most %s MiB each, processes %s MiB\n' \
        "$jobs" "$(cat all)" "$took" "$(awk -v a="$(cat all)" -v b="$expected" 'BEGIN { printf "%.3f", a / b }')" "$ran" \
        "$((bases + bases * variants))" "$((areas >> 20))" "$(($(cat memory) >> 10))"
done
