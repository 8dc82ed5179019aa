#!/bin/bash
# The TFTP server and clients that we did not write: tftp-hpa, atftp and curl. usage: tftp_peer.sh HEARTH
set -euo pipefail

hearth=$1
skip() {
  echo "SKIPPED: $*"
  exit 77
}
for program in tftp atftp curl; do command -v "$program" >/dev/null || skip "$program is not installed"; done

work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir "$work/root"
head -c 3000000 /dev/urandom >"$work/root/large"
head -c 40000000 /dev/zero >"$work/root/rolls-over" # 78125 blocks of 512 bytes
head -c 1024 /dev/urandom >"$work/root/whole-blocks"
: >"$work/root/empty"
ln -s /etc/passwd "$work/root/escape"

: >"$work/log" # read below, perhaps before the server's shell has made it
"$hearth" pxe tftp --listen 127.0.0.1:0 "$work/root" 2>"$work/log" &
server=$!
for ((try = 0; try < 100; try++)); do
  port=$(sed -n 's/.* on 127.0.0.1:\([0-9]*\)$/\1/p' "$work/log")
  [ -z "$port" ] || break
  read -rt 0.1 <> <(:) || true
done
[ -n "$port" ] || { cat "$work/log"; exit 1; }

failures=0
check() { # check WHAT FILE COMMAND…: the command must leave FILE's bytes in $work/got
  local what=$1 file=$2
  shift 2
  rm -f "$work/got"
  if timeout 60 "$@" >"$work/out" 2>&1 && cmp -s "$work/got" "$work/root/$file"; then
    echo "ok: $what"
  else
    echo "FAILED: $what"
    cat "$work/out"
    failures=$((failures + 1))
  fi
}

for file in large whole-blocks empty rolls-over; do
  check "tftp-hpa gets $file" "$file" tftp -m binary 127.0.0.1 "$port" -c get "$file" "$work/got"
done
for block in 8 512 1468 8192 65464; do
  file=large
  [ $block != 8 ] || file=whole-blocks
  check "curl gets $file, blksize $block" "$file" curl -sS --tftp-blksize $block -o "$work/got" "tftp://127.0.0.1:$port/$file"
  for window in 1 4 64; do
    check "atftp gets $file, blksize $block, windowsize $window" "$file" atftp --option "blksize $block" \
      --option "windowsize $window" -g -r "$file" -l "$work/got" 127.0.0.1 "$port"
  done
done

refused() { # refused WHAT NAME CODE: curl's exit code for the TFTP error
  local code=0
  curl -sS -o /dev/null "tftp://127.0.0.1:$port/$2" >/dev/null 2>&1 || code=$?
  if [ $code = "$3" ]; then
    echo "ok: $1"
  else
    echo "FAILED: $1: curl exits with $code"
    failures=$((failures + 1))
  fi
}
refused "a missing file is not found" nothing 68
refused "a link that leads out is denied" escape 69
printf x >"$work/up"
if grep -q 'only reads' <<<"$(tftp -m binary 127.0.0.1 "$port" -c put "$work/up" up 2>&1)"; then
  echo "ok: an upload is refused"
else
  echo "FAILED: an upload is not refused"
  failures=$((failures + 1))
fi
[ ! -e "$work/root/up" ] || failures=$((failures + 1))
exit $((failures > 0))
