#!/bin/bash
# N small images (40) of four bases by Slurm: on one node of one processor, and on two. Each image takes half a second of processor time
# besides its base's. The goal is 1.7 times as fast; a quiet machine with two processors.
#
# usage: slurm.sh HEARTH [N]      root; slurm-wlm and munge
# shellcheck source-path=SCRIPTDIR/../e2e source=../e2e/lib.sh source=../e2e/slurm_site.sh
HEARTH=$(readlink -f "$1")
export HEARTH
site=$(dirname "$(readlink -f "$0")")/../e2e
[ -n "${HEARTH_TEST_SITE:-}" ] || exec "$site/slurm_site.sh" "$0" "$@"
. "$site/lib.sh"
. "$site/slurm_site.sh"
count=${2:-40}
export SOURCE_DATE_EPOCH=1700000000 DIB_IMAGE_CACHE=$work/cache ELEMENTS_PATH=$work/elements:$here/elements
hook base/pre-install.d/10-base <<< 'for ((i = 0; i < 200000; ++i)); do :; done; echo "$DIB_BASE" > /etc/base'
hook variant/install.d/50-variant <<< 'for ((i = 0; i < 200000; ++i)); do :; done; echo "$VARIANT" > /etc/variant'
cat > images.yaml << END
- imagename: i-\${base}-\${variant}
  matrix: {base: [1, 2, 3, 4], variant: [$(seq -s, $((count / 4)))]}
  elements: [tiny-os, base, variant]
  types: [tar]
  skip-base: true
  environment: {DIB_BASE: "\${base}", VARIANT: "\${variant}"}
END
took=()
start_site || { finish; exit; }
"$HEARTH" image pipeline images.yaml --for slurm > images.sh
for nodes in n1 n1,n2; do
    rm -rf cache i-*
    began=$EPOCHREALTIME
    if [ "$nodes" = n1 ]; then sh images.sh --nodelist=n1 > submitted; else sh images.sh > submitted; fi
    until_true 600 nothing_waits
    [ "$(ls i-*.tar | wc -l)" = $((count / 4 * 4)) ] || fail "not all images are there"
    took+=("$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')")
    echo "$nodes: ${took[-1]} s"
done
awk -v a="${took[0]}" -v b="${took[1]}" 'BEGIN { printf "%.2f times as fast (goal 1.7)\n", a / b }'
finish
