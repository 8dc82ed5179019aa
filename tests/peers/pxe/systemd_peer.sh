#!/bin/bash
# The unit hearth-pxe.service under a real systemd, in a container of its own (systemd-nspawn, this machine's /usr): it starts
# with its sandbox, keeps no right, reads its site again and ends well. usage: systemd_peer.sh HEARTH
set -euo pipefail
hearth=$(realpath "$1")
unit=$(realpath "$(dirname "$0")/../../../pxe/systemd/hearth-pxe.service.in")
skip() {
  echo "SKIPPED: $*"
  exit 77
}
[ "$(id -u)" = 0 ] || skip "needs root for a container"
for program in systemd-nspawn unshare ip; do command -v "$program" >/dev/null || skip "$program is not installed"; done
[ -x /usr/lib/systemd/systemd ] || skip "systemd is not installed"
[ -e /usr/lib/ipxe/snponly.efi ] || skip "the package ipxe is not installed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/site.json" <<'JSON'
{"interfaces": ["host0"], "root": "/opt/files",
 "networks": [{"subnet": "192.0.2.0/24", "server": "192.0.2.1", "pools": ["192.0.2.100-192.0.2.110"]}]}
JSON
# The program lies elsewhere in the container, whose /usr is the host's; nothing there waits for a network.
sed 's#@bindir@/hearth pxe serve --quiet#/opt/hearth pxe serve#; /@docdir@/d; /network-online/d' "$unit" >"$work/unit"
cat >"$work/probe.sh" <<'PROBE'
said() { journalctl -u hearth-pxe --no-pager -o cat; }
wait_for() {
  for ((try = 0; try < 300; try++)); do
    grep -q "$1" <<<"$(said)" && return
    read -rt 0.2 <> <(:) || true
  done
}
ip addr add 192.0.2.1/24 dev host0
ip link set host0 up
systemctl start hearth-pxe
wait_for ready:
grep -E '^(Uid|CapEff|CapPrm|NoNewPrivs|Seccomp):' "/proc/$(systemctl show -p MainPID --value hearth-pxe)/status" | tr '\t' ' '
exec 3<>/dev/tcp/192.0.2.1/80 && printf 'GET /hello HTTP/1.0\r\n\r\n' >&3 && timeout 10 cat <&3
systemctl reload hearth-pxe
wait_for 'read again'
said
systemctl stop hearth-pxe
systemctl show -p Result hearth-pxe
echo probe-is-done
PROBE
cat >"$work/probe.service" <<'UNIT'
[Unit]
DefaultDependencies=no
[Service]
Type=oneshot
StandardOutput=file:/srv/result
StandardError=inherit
ExecStart=/bin/bash /opt/probe.sh
ExecStopPost=/bin/systemctl poweroff --force
UNIT
mkdir "$work/srv" "$work/files"
echo from-the-root >"$work/files/hello"
bind=(--bind-ro="$work/files:/opt/files" --bind-ro="$hearth:/opt/hearth" --bind-ro="$work/probe.sh:/opt/probe.sh" --bind-ro="$work/site.json:/etc/hearth/pxe.json" --bind="$work/srv:/srv")
for name in unit:hearth-pxe probe.service:probe; do bind+=(--bind-ro="$work/${name%:*}:/etc/systemd/system/${name#*:}.service"); done
for name in systemd-firstboot ifupdown-pre; do bind+=(--bind-ro="/dev/null:/etc/systemd/system/$name.service"); done
timeout 200 unshare -n systemd-nspawn -q -D / --volatile=yes --register=no --keep-unit --network-veth -M "hearth-$$" "${bind[@]}" \
  /usr/lib/systemd/systemd --unit=probe.service --show-status=no >"$work/log" 2>&1 || true
grep -q 'systemd .* running in system mode' "$work/log" || skip "no container starts here: $(tail -n 1 "$work/log")"

result=$work/srv/result
failures=0
expect() { # expect WHAT PATTERN
  if grep -qE "$2" "$result"; then
    echo "ok: $1"
  else
    echo "FAILED: $1"
    failures=$((failures + 1))
  fi
}
expect 'it serves' '^INFO ready: DHCP, TFTP and HTTP on host0'
expect 'as a user of its own' '^Uid: [1-9]'
expect 'without a capability' '^CapEff: 0+$'
expect 'none to be had again' '^CapPrm: 0+$'
expect 'no new privileges' '^NoNewPrivs: 1'
expect 'system calls are filtered' '^Seccomp: 2'
expect 'a file below its root is served' '^from-the-root'
expect 'reload reads the site again' 'read again: 0 nodes'
expect 'stop ends it well' '^Result=success'
[ $failures = 0 ] || tail -n 30 "$result" "$work/log"
exit $((failures > 0))
