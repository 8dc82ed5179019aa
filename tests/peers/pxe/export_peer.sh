#!/bin/bash
# What `hearth pxe export` writes, judged by the programs that it is for. usage: export_peer.sh HEARTH
set -euo pipefail
hearth=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
failures=0
checked=0

cat >"$work/site.json" <<'JSON'
{"interfaces": ["lo"],
 "networks": [{"subnet": "192.0.2.0/24", "server": "192.0.2.1", "pools": ["192.0.2.100-192.0.2.110", "192.0.2.120-192.0.2.130"],
               "router": "192.0.2.1", "dns": ["192.0.2.2", "192.0.2.3"], "ntp": "192.0.2.4", "domain": "example.org",
               "search": ["a.example.org", "b.example.org"]},
              {"subnet": "198.51.100.0/24", "server": "192.0.2.1", "pools": []}],
 "nodes": [{"name": "one", "mac": ["52:54:00:00:00:01", "52:54:00:00:00:02"], "address": "192.0.2.50"},
           {"mac": "52:54:00:00:00:03"}, {"name": "far", "mac": "52:54:00:00:00:04", "address": "198.51.100.7"}]}
JSON

# The program, from where it is installed, or from its package taken apart here (the servers' packages start services).
program() { # program NAME PACKAGE
  if PATH=$PATH:/usr/sbin command -v "$1"; then return; fi
  (cd "$work" && apt-get download "$2" >/dev/null 2>&1 && dpkg -x "$2"_*.deb "$work/$2") || return 0
  find "$work/$2" -name "$1" -type f -perm /100 | head -n 1
}

lacking() { # lacking PATH NAME: and says so
  [ -z "$1" ] && echo "SKIPPED: $2 is not to be had"
}

judge() { # judge NAME COMMAND…
  local name=$1
  shift
  checked=$((checked + 1))
  if "$@" >"$work/out" 2>&1; then
    echo "ok: $name"
  else
    echo "FAILED: $name"
    cat "$work/out"
    failures=$((failures + 1))
  fi
}

for target in dnsmasq kea isc; do "$hearth" pxe export --for $target "$work/site.json" >"$work/$target.conf"; done
dnsmasq=$(program dnsmasq dnsmasq-base)
lacking "$dnsmasq" dnsmasq || judge dnsmasq "$dnsmasq" --test -C "$work/dnsmasq.conf"
dhcpd=$(program dhcpd isc-dhcp-server)
: >"$work/leases"
lacking "$dhcpd" dhcpd || judge "ISC dhcpd" "$dhcpd" -t -cf "$work/isc.conf" -lf "$work/leases"
kea=$(program kea-dhcp4 kea-dhcp4-server)
mkdir -p "$work/run"
lacking "$kea" kea-dhcp4 || judge Kea env KEA_PIDFILE_DIR="$work/run" KEA_LOCKFILE_DIR="$work/run" "$kea" -t "$work/kea.conf"
[ $checked -gt 0 ] || { echo "SKIPPED: none of dnsmasq, dhcpd and kea-dhcp4 is to be had"; exit 77; }
exit $((failures > 0))
