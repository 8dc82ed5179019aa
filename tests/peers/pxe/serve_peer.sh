#!/bin/bash
# `hearth pxe serve` and clients that we did not write: dhclient, curl (HTTP and TFTP), dnsmasq as the other DHCP server.
# usage: serve_peer.sh HEARTH
set -euo pipefail
hearth=$1
# shellcheck source=tests/peers/pxe/lib.sh
. "$(dirname "$0")/lib.sh"
need dhclient curl dnsmasq openssl
[ -e /usr/lib/ipxe/snponly.efi ] || skip "the package ipxe is not installed"
make_networks

head -c 20000000 /dev/urandom >"$work/kernel"
head -c 1000000 /dev/urandom >"$work/ramdisk"
chmod 755 "$work"
make_certificate() {
  openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=boot -addext subjectAltName=IP:192.0.2.1 -days 2 -keyout "$work/key.pem" \
    -out "$work/cert.pem" 2>/dev/null
}
make_certificate
site() { # site MODE FURTHER-KEYS
  cat >"$work/site.json" <<JSON
{"mode": "$1", "interfaces": ["s0"], "state_dir": "$work/state"$2,
 "tls_certificate": "$work/cert.pem", "tls_key": "$work/key.pem",
 "networks": [{"subnet": "192.0.2.0/24", "server": "192.0.2.1", "pools": ["192.0.2.100-192.0.2.110"],
               "router": "192.0.2.1", "domain": "example.org", "lease_s": 600}],
 "profiles": {"deploy": {"kernel": "$work/kernel", "ramdisk": "$work/ramdisk"}},
 "nodes": [{"name": "one", "mac": "52:54:00:00:00:01", "address": "192.0.2.50", "state": "deploy"}]}
JSON
}
site full ''

lease() { # lease MAC: the address that dhclient gets, empty when none
  ip -n "$client_net" link set c0 address "$1"
  rm -f "$work/dhclient.leases"
  : >"$work/dhclient.log"
  ip netns exec "$client_net" timeout 40 dhclient -4 -1 -d -lf "$work/dhclient.leases" -pf "$work/dhclient.pid" -sf /bin/true c0 >"$work/dhclient.log" 2>&1 &
  local client=$!
  for ((try = 0; try < 400; try++)); do
    grep -q '^bound to' "$work/dhclient.log" && break
    kill -0 $client 2>/dev/null || break
    read -rt 0.1 <> <(:) || true
  done
  kill $client 2>/dev/null || true
  wait $client 2>/dev/null || true
  sed -n 's/^bound to \([0-9.]*\).*/\1/p' "$work/dhclient.log"
}

serve "$work/site.json" || fail "it starts" "$work/serve.log"

has_capabilities() { # has_capabilities MASK: and nothing else; as nobody that there is
  grep -qE "^CapEff:\s*0*$1\$" "/proc/$server/status" && grep -qE "^CapPrm:\s*0*$1\$" "/proc/$server/status" &&
    grep -qE '^Uid:\s6[1-5][0-9]{3}\s' "/proc/$server/status" && grep -q '^NoNewPrivs:\s*1' "/proc/$server/status"
}
if has_capabilities 4 && grep -q "who may read all files, since $work/key.pem is not readable to it" "$work/serve.log"; then
  ok "it may read root's key once the ports are open, as another user, and says so"
else
  fail "more than the right to read files is left" "/proc/$server/status"
fi
advice=$(sed -n 's/.*readable to it (\(chgrp .*\) ends that with the next start).*/\1/p' "$work/serve.log")
mode=$(stat -c '%g %a' "$work/key.pem")
kill "$server"
wait "$server" || true
eval "${advice:-false}" && serve "$work/site.json" && has_capabilities 0 && ok "and says what ends that, which does" ||
  fail "what it says gives it no access: $advice" "$work/serve.log"
chgrp "${mode% *}" "$work/key.pem"
chmod "${mode#* }" "$work/key.pem"

# What its user could have left in its state leads root's chown to nobody else's.
kill "$server"
wait "$server" || true
mkdir -p "$work/elsewhere" "$work/state/mounted" "$work/data"
echo root >"$work/elsewhere/file"
mv "$work/state" "$work/data/state"
ln -s data/state "$work/state"
ln "$work/elsewhere/file" "$work/state/hard"
ln -s "$work/elsewhere/file" "$work/state/soft"
trap 'umount -lq "$work/data/state/mounted" 2>/dev/null || true; remove_networks' EXIT
mount --bind "$work/elsewhere" "$work/state/mounted"
serve "$work/site.json" || fail "it starts in a directory that a link names" "$work/serve.log"
kill "$server"
wait "$server" || true
given() { [ "$(stat -c %u "$1")" -ge 61184 ]; } # given FILE: it is not root's
! given "$work/elsewhere/file" && ! given "$work/elsewhere" && given "$work/data/state" && given "$work/state/soft" &&
  grep -q '/hard is also another name' "$work/serve.log" && grep -q "/mounted is another mount's" "$work/serve.log" &&
  ok "the directory behind a link becomes the user's; files behind hard links, links and mounts in it do not" ||
  fail "whose is what" "$work/serve.log" <(stat -c '%u %n' "$work/elsewhere" "$work/elsewhere/file" "$work/data/state" "$work/state"/*)
umount "$work/state/mounted"
rm "$work/state" "$work/data/state/hard" "$work/data/state/soft"
mv "$work/data/state" "$work/state"
sed 's|"state_dir": "[^"]*"|"state_dir": "/var/lib"|' "$work/site.json" >"$work/var.json"
# shellcheck disable=SC2016  # of the inner shell
in_server unshare -m sh -c 'mount -t tmpfs -o mode=755 none /var/lib && timeout 20 "$0" pxe serve "$1" --user nobody; stat -c %U /var/lib' \
  "$hearth" "$work/var.json" >"$work/log" 2>&1
grep -q "/var/lib is the system's: it is not given to nobody" "$work/log" && grep -qx root "$work/log" && ok "/var/lib is given to nobody" ||
  fail "whose /var/lib is" "$work/log"
mkdir "$work/shared"
touch "$work/shared/theirs"
chown 4321 "$work/shared/theirs"
sed "s|$work/state|$work/shared|" "$work/site.json" >"$work/shared.json"
serve "$work/shared.json" || fail "it starts in a directory that others use" "$work/serve.log"
kill "$server"
wait "$server" || true
grep -q "serves as root, without capabilities: $work/shared holds what is somebody else's ($work/shared/theirs)" "$work/serve.log" &&
  [ "$(stat -c '%u' "$work/shared")" = 0 ] && ok "a directory that others use is not given away" || fail "whose the shared directory is" "$work/serve.log"
serve "$work/site.json" || fail "it starts again" "$work/serve.log"

[ "$(lease 52:54:00:00:00:01)" = 192.0.2.50 ] && ok "a node gets its own address" || fail "a node's address" "$work/dhclient.log"
[ "$(lease 52:54:00:00:00:09)" = 192.0.2.100 ] && ok "a stranger gets one of the pool" || fail "the pool" "$work/dhclient.log"

kill -9 "$server"
wait "$server" 2>/dev/null || true
chmod 644 "$work/key.pem"
serve "$work/site.json" || fail "it starts after SIGKILL" "$work/serve.log"
has_capabilities 0 && ok "no capability is left where there is nothing of root's to read" || fail "capabilities are left" "/proc/$server/status"
[ "$(lease 52:54:00:00:00:08)" = 192.0.2.101 ] && ok "leases survive SIGKILL: nobody else gets 192.0.2.100" ||
  fail "leases after SIGKILL" "$work/dhclient.log" "$work/state/leases"
[ "$(lease 52:54:00:00:00:09)" = 192.0.2.100 ] && ok "and its machine gets it again" || fail "the same lease again" "$work/dhclient.log"

ip -n "$client_net" link set c0 address 52:54:00:00:00:01
ip -n "$client_net" addr add 192.0.2.50/24 dev c0
url=http://192.0.2.1
in_client curl -sf $url/image/deploy/kernel | cmp - "$work/kernel" && ok "HTTP: a whole file" || fail "HTTP: a whole file"
in_client curl -sf -r 1000-1999999 $url/image/deploy/kernel | cmp - <(head -c 2000000 "$work/kernel" | tail -c +1001) &&
  ok "HTTP: a range" || fail "HTTP: a range"
head -c 5000000 "$work/kernel" >"$work/part"
tls=(--cacert "$work/cert.pem" https://192.0.2.1/image/deploy/kernel)
in_client curl -sf "${tls[@]}" | cmp - "$work/kernel" && ok "HTTPS: a whole file" || fail "HTTPS: a whole file"
in_client curl -sf --tlsv1.2 --tls-max 1.2 -r 1000-1999999 "${tls[@]}" | cmp - <(head -c 2000000 "$work/kernel" | tail -c +1001) &&
  ok "HTTPS: a range, TLS 1.2" || fail "HTTPS: a range"
in_client curl -s --tls-max 1.1 "${tls[@]}" >"$work/old" && fail "HTTPS: TLS 1.1" || ok "HTTPS: nothing older"
in_client curl -s --max-time 3 "http://192.0.2.1:443/image/deploy/kernel" >"$work/old" && fail "HTTPS: plain text" || ok "HTTPS: no plain text there"
in_client curl -sf -C - -o "$work/part" $url/image/deploy/kernel && cmp "$work/part" "$work/kernel" && ok "HTTP: resumed" || fail "HTTP: resumed"
tag=$(in_client curl -sfI $url/image/deploy/kernel | tr -d '\r' | sed -n 's/^ETag: //p')
[ "$(in_client curl -s -o /dev/null -w '%{http_code}' -H "If-None-Match: $tag" $url/image/deploy/kernel)" = 304 ] &&
  ok "HTTP: not modified" || fail "HTTP: not modified"
[ "$(in_client curl -s -o /dev/null -w '%{http_code}' --path-as-is $url/../../etc/passwd)" = 403 ] && ok "HTTP: no way out" || fail "HTTP: no way out"
in_client curl -sf tftp://192.0.2.1/snponly.efi | cmp - /usr/lib/ipxe/snponly.efi && ok "TFTP: a loader" || fail "TFTP: a loader"
grep -q 'node one is in state deploy' <<<"$(in_client curl -sf tftp://192.0.2.1/grub/grub.cfg)" && ok "TFTP: its own configuration" || fail "TFTP: grub.cfg"

sed -i 's/"state": "deploy"/"state": "local"/; s/"mode"/"tftp_port": 6969, "mode"/' "$work/site.json"
make_certificate
kill -HUP "$server"
for ((try = 0; try < 300; try++)); do
  grep -q 'state local' <<<"$(in_client curl -sf $url/ipxe/52-54-00-00-00-01)" && break
  read -rt 0.1 <> <(:) || true
done
[ $try -lt 300 ] && ok "SIGHUP: the new state counts at once" || fail "SIGHUP" "$work/serve.log"
grep -q 'state local' <<<"$(in_client curl -sf --cacert "$work/cert.pem" https://192.0.2.1/ipxe/52-54-00-00-00-01)" &&
  ok "SIGHUP: the new certificate is shown" || fail "SIGHUP: certificate" "$work/serve.log"
grep -q 'ports .* stay as they were' "$work/serve.log" && ok "SIGHUP: what takes a restart is named" || fail "SIGHUP: ports" "$work/serve.log"
grep -q 'hearth_pxe_requests_total{protocol="tftp",outcome="good"} 2' <<<"$(in_client curl -sf $url/metrics)" && ok "metrics" || fail "metrics"
"$hearth" pxe boot-log "$work/site.json" 52:54:00:00:00:01 >"$work/log"
grep -q 'tftp  snponly.efi: done' "$work/log" && ok "the boot log" || fail "the boot log" "$work/log"
kill "$server"
wait "$server" && ok "SIGTERM ends it well" || fail "SIGTERM"

# Beside another server.
in_client ip addr add 192.0.2.2/24 dev c0
: >"$work/dnsmasq.log"
ip netns exec "$client_net" dnsmasq -k --port=0 -C /dev/null --interface=c0 --bind-interfaces --no-ping --user=root --dhcp-range=192.0.2.60,192.0.2.70 \
  --dhcp-leasefile="$work/dnsmasq.leases" >"$work/dnsmasq.log" 2>&1 &
other=$!
for ((try = 0; try < 300; try++)); do
  grep -q 'DHCP, IP range' "$work/dnsmasq.log" && break
  read -rt 0.1 <> <(:) || true
done
if serve "$work/site.json"; then
  fail "it became a second DHCP server" "$work/serve.log" "$work/dnsmasq.log"
  kill "$server"
  wait "$server" || true
elif grep -q 'another DHCP server: 192.0.2.* (MAC 52:54:00:00:00:01): OFFER of 192.0.2.[67]' "$work/serve.log"; then
  ok "it refuses to be a second DHCP server, and says who the first is"
else
  fail "the other server is not named" "$work/serve.log"
fi
site proxy ''
serve "$work/site.json" && ok "as proxyDHCP it serves beside it" || fail "proxyDHCP" "$work/serve.log"
kill "$server" $other
exit $((failures > 0))
