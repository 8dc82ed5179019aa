#!/bin/bash
# The HTTP image service beside nginx with sendfile: one run, the same client (curl), two network namespaces joined by a
# veth pair. Needs root, nginx-light, curl, and the packages that `hearth pxe serve` looks for.
#
# usage: http.sh HEARTH [ROUNDS]      prints GB/s (the best of ROUNDS, default 3) and the server's CPU seconds a GB
set -euo pipefail

hearth=$(realpath "$1")
rounds=${2:-3}
work=$(mktemp -d)
net=hearth-http-$$

# shellcheck disable=SC2317  # called by the trap
clean_up() {
  for side in server client; do
    ip netns pids "$net-$side" 2>/dev/null | xargs -r kill -9 2>/dev/null || true
    ip netns del "$net-$side" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap clean_up EXIT
for program in nginx curl ip; do
  command -v "$program" >/dev/null || { echo "http.sh: needs $program" >&2 && exit 1; }
done
ip netns add "$net-server"
ip netns add "$net-client"
ip -n "$net-server" link add s0 type veth peer name c0 netns "$net-client"
ip -n "$net-server" addr add 192.0.2.1/24 dev s0
ip -n "$net-client" addr add 192.0.2.2/24 dev c0
ip -n "$net-server" link set s0 up
ip -n "$net-client" link set c0 up
ip -n "$net-server" link set lo up

mkdir "$work/root"
chmod 755 "$work" "$work/root"
head -c $((512 << 20)) /dev/urandom >"$work/root/image"
cat >"$work/site.json" <<JSON
{"interfaces": ["s0"], "state_dir": "$work/state", "root": "$work/root",
 "networks": [{"subnet": "192.0.2.0/24", "server": "192.0.2.1", "pools": []}]}
JSON
cat >"$work/nginx.conf" <<NGINX
daemon off;
worker_processes 1;
pid $work/nginx.pid;
error_log /dev/null;
events { worker_connections 1024; }
http { access_log off; sendfile on; tcp_nopush on; server { listen 192.0.2.1:80; root $work/root; } }
NGINX

serve() {
  case $1 in
    hearth) exec setsid ip netns exec "$net-server" "$hearth" pxe serve -q --force "$work/site.json" ;;
    nginx) exec setsid ip netns exec "$net-server" nginx -c "$work/nginx.conf" ;;
  esac >/dev/null 2>&1
}
cpu() { # the CPU seconds that the server's processes have had
  local pid
  for pid in $(ip netns pids "$net-server"); do cat "/proc/$pid/stat"; done | awk '{ sum += $14 + $15 } END { print sum / 100 }'
}

printf '%-9s %8s %10s %14s\n' server clients GB/s 'CPU s per GB'
for clients in 1 16; do
  for server in hearth nginx; do
    serve $server &
    sleep 4
    best=0
    before=$(cpu)
    for ((round = 0; round < rounds; round++)); do
      began=$EPOCHREALTIME
      pids=()
      for ((client = 0; client < clients; client++)); do
        ip netns exec "$net-client" curl -sf -o /dev/null http://192.0.2.1/image &
        pids+=($!)
      done
      for pid in "${pids[@]}"; do wait "$pid" || echo "$server failed"; done
      best=$(awk -v a="$began" -v b="$EPOCHREALTIME" -v n=$clients -v best="$best" 'BEGIN { r = n * 0.536870912 / (b - a); print (r > best ? r : best) }')
    done
    awk -v s=$server -v n=$clients -v r="$best" -v a="$before" -v b="$(cpu)" -v k="$rounds" \
      'BEGIN { printf "%-9s %8d %10.2f %14.3f\n", s, n, r, (b - a) / (k * n * 0.536870912) }'
    ip netns pids "$net-server" | xargs -r kill 2>/dev/null || true
    wait
  done
done
