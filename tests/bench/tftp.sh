#!/bin/bash
# TFTP throughput beside tftpd-hpa, dnsmasq and atftpd: one run, the same client (atftp), two network namespaces joined
# by a veth pair. Needs root, atftp, dnsmasq-base; tftpd-hpa and atftpd (whose packages exclude each other) are taken
# apart in a scratch folder, not installed.
#
# usage: tftp.sh HEARTH [ROUNDS]      prints MB/s, the best of ROUNDS (default 2), and for each case the CPU seconds of the
# clients, with those of the server behind a plus. With windows the clients' own CPU is the limit: their seconds over the
# processors is the least time that any server could take. Servers run in sessions of their own, because the kernel shares
# a busy machine out by session (sched_autogroup) and tftpd-hpa begins one for each client. The server's CPU is not told
# for tftpd-hpa, whose children nobody waits for.
set -euo pipefail

hearth=$(realpath "$1")
rounds=${2:-2}
work=$(mktemp -d)
run=hearth-tftp-$$
server_pid=

# shellcheck disable=SC2317  # called by the trap
clean_up() {
  [ -z "$server_pid" ] || kill "$server_pid" 2>/dev/null || true
  for side in server client; do
    ip netns pids "$run-$side" 2>/dev/null | xargs -r kill 2>/dev/null || true
    ip netns del "$run-$side" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap clean_up EXIT

die() {
  printf 'tftp.sh: %s\n' "$*" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || die "needs root for network namespaces"
for program in atftp dnsmasq ip; do
  command -v "$program" >/dev/null || die "needs $program"
done

(cd "$work" && apt-get download tftpd-hpa atftpd libwrap0 >/dev/null 2>&1 && printf '%s\n' *.deb | xargs -I{} dpkg -x {} .) ||
  die "can't fetch the packages tftpd-hpa and atftpd"

ip netns add "$run-server"
ip netns add "$run-client"
ip -n "$run-server" link add v0 type veth peer name v0 netns "$run-client"
ip -n "$run-server" addr add 192.0.2.1/24 dev v0
ip -n "$run-client" addr add 192.0.2.2/24 dev v0
for side in server client; do
  ip -n "$run-$side" link set lo up
  ip -n "$run-$side" link set v0 up
done

mkdir "$work/root"
chmod 755 "$work" "$work/root"
head -c $((64 << 20)) /dev/urandom >"$work/root/large"
head -c $((1 << 20)) /dev/urandom >"$work/root/small"
sum=$(sha256sum <"$work/root/large")

start_server() {
  case $1 in
    hearth) setsid ip netns exec "$run-server" "$hearth" pxe tftp -q --per-client 2000 --listen 192.0.2.1 "$work/root" ;;
    tftpd-hpa) setsid ip netns exec "$run-server" env LD_LIBRARY_PATH="$work/usr/lib/x86_64-linux-gnu:$work/lib/x86_64-linux-gnu" \
      "$work/usr/sbin/in.tftpd" -L -4 -u root -a 192.0.2.1:69 -s "$work/root" ;;
    dnsmasq) setsid ip netns exec "$run-server" dnsmasq -k --port=0 -C /dev/null --interface=v0 --bind-interfaces --enable-tftp \
      --tftp-root="$work/root" --tftp-max=2000 --user=root --log-facility=/dev/null ;;
    atftpd) setsid ip netns exec "$run-server" "$work/usr/sbin/atftpd" --daemon --no-fork --user root --group root --maxthread 1100 \
      --bind-address 192.0.2.1 --logfile /dev/null "$work/root" ;;
  esac 2>/dev/null >&2
}

# get FILE TARGET BLOCK WINDOW
get() {
  local options=(--option "blksize $3")
  [ "$4" = 1 ] || options+=(--option "windowsize $4")
  timeout 60 ip netns exec "$run-client" atftp "${options[@]}" -g -r "$1" -l "$2" 192.0.2.1 >/dev/null 2>&1
}

# many CLIENTS FILE BLOCK WINDOW: the seconds it took; "failed" when one of them did not get it.
many() {
  local began ended failed=0 pids=() pid
  began=$(date +%s.%N)
  for ((i = 0; i < $1; i++)); do
    get "$2" /dev/null "$3" "$4" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || failed=$((failed + 1)); done
  ended=$(date +%s.%N)
  cpu_seconds >"$work/cpu"
  [ $failed = 0 ] || { echo "$failed-failed" && return; }
  awk -v a="$began" -v b="$ended" 'BEGIN { printf "%.3f", b - a }'
}

# The CPU seconds of all clients so far, and of the server.
cpu_seconds() {
  local pid
  times >"$work/times" # not in a pipe: that would be a shell without children
  awk 'END { gsub("[ms]", " "); print $1 * 60 + $2 + $3 * 60 + $4 }' "$work/times"
  for pid in $(ip netns pids "$run-server"); do cat "/proc/$pid/stat" 2>/dev/null || true; done | awk '{ sum += $14 + $15 } END { print sum / 100 }'
}

# measure CLIENTS BLOCK WINDOW: the best rate in MB/s, and the CPU seconds of clients and server for it.
measure() {
  local best=0 took before spent
  for ((round = 0; round < rounds; round++)); do
    before=$(cpu_seconds | sed -n 2p)
    took=$(many "$1" large "$2" "$3") # in a shell of its own, whose clients are all its children
    case $took in *failed) best=$took && spent= && break ;; esac
    spent=$(awk -v b="$before" 'NR == 1 { c = $1 } NR == 2 { printf "(%.1f+%.1f)", c, $1 - b }' "$work/cpu")
    best=$(awk -v n="$1" -v t="$took" -v b="$best" 'BEGIN { r = n * 67.108864 / t; printf "%.0f", (r > b ? r : b) }')
  done
  printf '%16s' "$best$spent"
}

cases=("1 512 1" "16 512 1" "1 1468 1" "16 1468 1" "1 1468 16" "16 1468 16" "1 1468 64" "16 1468 64" "16 65464 1" "16 65464 4")
printf '%-12s' server
for case in "${cases[@]}"; do printf '%16s' "${case// /x}"; done
printf '%16s%12s\n' '1000x1MB, s' 'RSS, MB'
for server in ${SERVERS:-hearth tftpd-hpa dnsmasq atftpd}; do
  start_server "$server" &
  server_pid=$!
  sleep 1
  printf '%-12s' "$server"
  get large "$work/got" 1468 1 || die "$server does not answer"
  [ "$(sha256sum <"$work/got")" = "$sum" ] || die "$server gave other bytes"
  for case in "${cases[@]}"; do
    # shellcheck disable=SC2086  # three words
    measure $case
  done
  printf '%16s' "$(many 1000 small 1468 16)"
  real=$(ip netns pids "$run-server" | head -n 1)
  printf '%12s\n' "$(awk '/VmHWM/ { printf "%.0f", $2 / 1024 }' "/proc/${real:-self}/status")"
  ip netns pids "$run-server" | xargs -r kill
  wait "$server_pid" 2>/dev/null || true
done
