# shellcheck shell=bash
# What the peer tests of the boot servers share: a server's and a client's network namespace, joined by a veth pair.
# To be sourced with set -euo pipefail and `hearth` set. Sets work, server_net (its interface is s0, 192.0.2.1/24), client_net (c0).

skip() {
  echo "SKIPPED: $*"
  exit 77
}

need() { # need PROGRAM…
  local program
  for program in "$@"; do command -v "$program" >/dev/null || skip "$program is not installed"; done
}

failures=0
ok() { echo "ok: $1"; }
fail() { # fail WHAT [FILE…]: with what the files say
  echo "FAILED: $1"
  shift
  [ $# = 0 ] || cat "$@"
  failures=$((failures + 1))
}

# shellcheck disable=SC2317  # called by the trap
remove_networks() {
  local net
  for net in "$server_net" "$client_net"; do
    ip netns pids "$net" 2>/dev/null | xargs -r kill -9 2>/dev/null || true
    ip netns del "$net" 2>/dev/null || true
  done
  rm -rf "$work"
}

make_networks() {
  [ "$(id -u)" = 0 ] || skip "needs root for network namespaces"
  need ip
  work=$(mktemp -d)
  server_net=hearth-s-$$
  client_net=hearth-c-$$
  trap remove_networks EXIT
  ip netns add "$server_net"
  ip netns add "$client_net"
  ip -n "$server_net" link add s0 type veth peer name c0 netns "$client_net"
  ip -n "$server_net" addr add 192.0.2.1/24 dev s0
  ip -n "$client_net" link set c0 address 52:54:00:00:00:01
  for link in "$server_net s0" "$client_net c0"; do
    # shellcheck disable=SC2086  # two words
    set -- $link
    ip -n "$1" link set lo up
    ip -n "$1" link set "$2" up
  done
}

in_server() { ip netns exec "$server_net" "$@"; }
in_client() { ip netns exec "$client_net" "$@"; }

# serve SITE [OPTION…]: starts the server and waits until it is ready; its pid is $server.
serve() {
  local site=$1
  shift
  : >"$work/serve.log"  # what an earlier server said must not count
  ip netns exec "$server_net" "${hearth:?}" pxe serve "$@" "$site" 2>"$work/serve.log" &
  server=$!
  for ((try = 0; try < 600; try++)); do
    grep -q 'ready:' "$work/serve.log" && return 0
    kill -0 "$server" 2>/dev/null || return 1
    read -rt 0.1 <> <(:) || true
  done
  return 1
}
