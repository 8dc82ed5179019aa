#!/bin/bash
# What `hearth pxe export` writes, judged by the programs that it is for: they read it, and then tell machines of every kind
# to boot what Hearth would tell them. usage: export_peer.sh HEARTH
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

# What they then tell machines to boot: as Hearth would, by node, firmware and network.
machines() { # machines POLICY: one of each kind
  cat <<JSON
{"interfaces": ["s0"], "http_port": 8080, "unknown": "$1",
 "networks": [{"subnet": "192.0.2.0/24", "server": "192.0.2.1", "pools": ["192.0.2.100-192.0.2.110"]}],
 "profiles": {"deploy": {"kernel": "/k", "ramdisk": "/r"}, "inspect": {"kernel": "/k", "ramdisk": "/r"}},
 "nodes": [{"name": "new", "mac": "52:54:00:00:00:11", "state": "deploy", "address": "192.0.2.50"},
           {"name": "done", "mac": "52:54:00:00:00:12", "state": "local"},
           {"name": "sealed", "mac": ["52:54:00:00:00:13", "52:54:00:00:00:23"], "state": "deploy", "secure_boot": true},
           {"name": "old", "mac": "52:54:00:00:00:14", "state": "deploy", "loader": "pxelinux"}]}
JSON
}
expected() { # expected POLICY: MAC's end, firmware (BIOS, UEFI, HTTP boot, iPXE), what it is told
  local tftp="192.0.2.1" http="- http://192.0.2.1:8080"
  cat <<WORDS
11 0 $tftp undionly.kpxe
11 7 $tftp snponly.efi
11 9 $tftp snponly.efi
11 16 $http/boot/snponly.efi
11 7-ipxe $http/ipxe/\${mac:hexhyp}
12 0 - -
12 7 $tftp shimx64.efi
12 0-ipxe $http/ipxe/\${mac:hexhyp}
13 0 $tftp undionly.kpxe
13 7 $tftp shimx64.efi
13 16 $http/boot/shimx64.efi
23 7 $tftp shimx64.efi
14 0 $tftp pxelinux.0
14 7 $tftp snponly.efi
WORDS
  case $1 in
    local) printf '99 0 - -\n99 7 %s shimx64.efi\n' "$tftp" ;;
    inspect) printf '99 0 %s undionly.kpxe\n99 7 %s snponly.efi\n' "$tftp" "$tftp" ;;
    ignore) printf '99 7 nothing\n' ;;
  esac
}

# tells NAME POLICY COMMAND…: the server runs, and each machine asks it.
tells() {
  local name=$1 policy=$2 end firmware words said wrong=0 asked=0
  shift 2
  ip netns exec "$server_net" "$@" >"$work/server.log" 2>&1 &
  server=$!
  expected "$policy" >"$work/expected"
  sed 's/^\([^ ]* [^ -]*\)-\?\([^ ]*\).*/52:54:00:00:00:\1 \2/' "$work/expected" |
    in_client python3 -B "$here/odd_client.py" c0 boots 52:54:00:00:00:11 >"$work/told"
  while read -r end firmware words && read -r said <&3; do
    asked=$((asked + 1))
    # What goes on to its disk is told no file; who serves no file is nobody's matter then.
    [ "$said" = "$words" ] || [ "${said#* }/${words#* }" = -/- ] || {
      echo "  :$end, firmware $firmware: '$said', not '$words'"
      wrong=$((wrong + 1))
    }
  done <"$work/expected" 3<"$work/told"
  kill -9 "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  [ $wrong = 0 ] && [ $asked = "$(wc -l <"$work/expected")" ] && ok "$name, others $policy: $asked answers" ||
    fail "$name, others $policy: $wrong of $asked answers are wrong" "$work/server.log"
}

if [ "$(id -u)" = 0 ]; then
  here=$(cd "$(dirname "$0")" && pwd)
  rm -rf "$work"
  # shellcheck source=tests/peers/pxe/lib.sh
  . "$here/lib.sh"
  make_networks
  chmod 755 "$work"
  mkdir -p "$work/run"
  for policy in local inspect ignore; do
    machines $policy >"$work/site.json"
    for target in dnsmasq kea isc; do "$hearth" pxe export --for $target "$work/site.json" >"$work/$target.conf"; done
    sed -i "s,\"type\": \"memfile\",&\, \"name\": \"$work/kea.leases\"," "$work/kea.conf"
    echo 'ping-check false;' >>"$work/isc.conf" # a second for each offer; nobody else is on this link
    : >"$work/leases"
    [ -z "$dnsmasq" ] || tells dnsmasq $policy "$dnsmasq" -k --user=root --no-ping --dhcp-leasefile="$work/dnsmasq.leases" -C "$work/dnsmasq.conf"
    [ -z "$dhcpd" ] || tells "ISC dhcpd" $policy "$dhcpd" -f -d --no-pid -cf "$work/isc.conf" -lf "$work/leases" s0
    [ -z "$kea" ] || tells Kea $policy env KEA_PIDFILE_DIR="$work/run" KEA_LOCKFILE_DIR="$work/run" "$kea" -c "$work/kea.conf"
  done
else
  echo "SKIPPED: what machines are told needs root for network namespaces"
fi
[ $checked -gt 0 ] || { echo "SKIPPED: none of dnsmasq, dhcpd and kea-dhcp4 is to be had"; exit 77; }
exit $((failures > 0))
