#!/bin/bash
# kill -9 at random moments of builds that share one cache; after each, a build that equals a clean one, and a cache in which
# nothing is damaged. HEARTH_KILLS=100 for more (default 8).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
export SOURCE_DATE_EPOCH=1700000000 DIB_IMAGE_CACHE=$work/cache HEARTH_LAYER_WORTH=0
export TINY_OS_PROGRAMS='bash cp env mkdir'  # what is built here is built hundreds of times
mkdir -p elements/filler/{extra-data.d,install.d}
export ELEMENTS_PATH=$work/elements:$here/elements
cat > elements/filler/extra-data.d/10-fill <<'HOOK'
#!/bin/bash
set -eu
for number in $(seq 300); do seq "$number" 2000 > "$TMP_MOUNT_PATH/etc/fill-$number"; done
HOOK
printf '#!/bin/bash\nset -eu\nmkdir /opt /opt/more\nfor n in 1 2 3; do cp /etc/fill-$n /opt/more; done\n' > elements/filler/install.d/20-more
chmod 0755 elements/filler/*/*
options=(image create -n -t tar -o)
build() { "$HEARTH" "${options[@]}" "$@" tiny-os filler; }

began=$EPOCHREALTIME
build clean --no-cache > clean.out 2>&1 < /dev/null || fail "without a cache: $(cat clean.out)"
milliseconds=$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%d", (b - a) * 1300 }')
for round in $(seq "${HEARTH_KILLS:-8}"); do
    [ $((round % 3)) != 1 ] || rm -rf cache  # from nothing, and from what an earlier one left
    rm -f killed.tar
    "$HEARTH" "${options[@]}" killed tiny-os filler > killed.out 2>&1 < /dev/null &
    pid=$!  # the program's own: of a function it would be a shell's
    moment=$((RANDOM * milliseconds / 32768))
    sleep "$((moment / 1000)).$(printf %03d $((moment % 1000)))"
    kill -9 "$pid" 2> /dev/null || true
    wait "$pid" 2> /dev/null || true
    "$HEARTH" cache verify > verified || fail "round $round, killed after $moment ms: $(cat verified)"
    rm -f killed.tar
    build killed > killed.out 2>&1 < /dev/null || fail "round $round, killed after $moment ms: $(cat killed.out)"
    [ $((round % 10)) != 0 ] || echo "$round builds were killed"
    cmp killed.tar clean.tar || fail "round $round, killed after $moment ms: not what a clean build makes"
done
finish
