#!/bin/bash
# The Deploying guide's bootstrap image, by the guide's own command line, and a first boot of it: it comes up, the
# tools that templates call are there, and the user stack may do everything.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[ -n "${HEARTH_LONG:-}" ] || { echo "SKIPPED: HEARTH_LONG is not set" && exit 77; }
create=$(dirname "$HEARTH")/disk-image-create
elements=$work/elements
mkdir -p "$elements/says-what-is-there/install.d"
cat > "$elements/says-what-is-there/install.d/90-says-what-is-there" <<'HOOK'
#!/bin/bash
set -eu -o pipefail
cat > /etc/systemd/system/says-what-is-there.service <<'UNIT'
[Service]
Type=oneshot
StandardOutput=journal+console
ExecStart=/bin/sh -c 'id -un 1000; for tool in cfn-init cfn-signal cfn-hup; do command -v $tool; done; sudo -u stack sudo -n true && echo "stack may do everything"'
[Install]
WantedBy=multi-user.target
UNIT
systemctl enable says-what-is-there.service
HOOK
chmod +x "$elements/says-what-is-there/install.d/90-says-what-is-there"
ELEMENTS_PATH=$elements "$create" -o bootstrap vm debian stackuser cfn-tools says-what-is-there > log 2>&1 < /dev/null ||
    { tail -n 30 log >&2; fail "the build fails"; }
expect_text log 'Build completed successfully' 'bootstrap.qcow2 created'
"$HEARTH" image test bootstrap.qcow2 --accel tcg --timeout 600 --expect 'cfn-init' --expect 'cfn-signal' --expect 'cfn-hup' \
    --expect 'stack may do everything' || fail "the machine did not come up"
finish
