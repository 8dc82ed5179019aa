#!/bin/bash
# Installing packages is kind to the machine: no service is started, nothing that was there is removed unasked, and what was
# laid down for the time of the installation goes, also when it was killed. An apt-get in front of the real one tells what it saw;
# /usr/sbin and systemd's units are this test's own.
set -euo pipefail
unset HEARTH_MAY_REMOVE # CI's
script=$(cd "$(dirname "$0")/../.." && pwd)/cmake/install-packages.sh
unshare --user --map-root-user --mount true 2> /dev/null || { echo "SKIPPED: user namespaces are not allowed here" && exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/hearth-e2e.XXXXXX")
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
    printf 'FAILED: %s\n' "$*" >&2
    failures=$((failures + 1))
}
mkdir "$work/bin"
printf '#!/bin/sh\nexit 1\n' > "$work/bin/dpkg-query" # nothing is installed
cat > "$work/bin/apt-get" <<'APT'
#!/bin/bash
case " $* " in
    *" indextargets "*) ;;
    *" -s "*) [ ! -e "$W/removes" ] || echo "Remv old-package [1.0]" ;;
    *" install "*)
        code=0
        /usr/sbin/policy-rc.d ssh start || code=$?
        echo "policy $code" >> "$W/seen"
        echo "options $*" >> "$W/seen"
        mkdir -p /etc/systemd/system/multi-user.target.wants
        ln -s /lib/systemd/system/brought.service /etc/systemd/system/multi-user.target.wants/
        [ ! -e "$W/kill" ] || kill -9 "$(cat "$W/script-pid")"
        ;;
esac
APT
printf '#!/bin/sh\necho "systemctl $*" >> "$W/seen"\n' > "$work/bin/systemctl"
printf '#!/bin/sh\n' > "$work/bin/apt-cache"
printf 'ID=debian\nVERSION_CODENAME=bookworm\nPRETTY_NAME=Debian\n' > "$work/release"
chmod +x "$work/bin"/*

# run AFTER [OPTION…]: the script in a machine of its own, then the shell text AFTER. $W/before is run first, where it is.
run() {
    local after=$1
    shift
    : > "$work/seen"
    # shellcheck disable=SC2016  # for the inner shell
    W=$work AFTER=$after SCRIPT=$script unshare --user --map-root-user --mount bash -uc '
        mount -t tmpfs none /usr/sbin && mount -t tmpfs none /etc/systemd/system || exit 99
        mount --bind "$W/release" "$(readlink -f /etc/os-release)" || exit 99
        [ ! -e "$W/others-policy" ] || install -m 0755 "$W/others-policy" /usr/sbin/policy-rc.d
        [ ! -e "$W/before" ] || . "$W/before"
        export PATH=$W/bin:$PATH
        bash -c "echo \$\$ > $W/script-pid; exec bash \"\$@\"" bash "$SCRIPT" "$@" test < /dev/null
        code=$?
        eval "$AFTER"
        exit $code' run "$@" > "$work/out" 2>&1
}
saw() { grep -q -- "$1" "$work/seen" || fail "$2: $(cat "$work/seen" "$work/out")"; }

run '[ ! -e /usr/sbin/policy-rc.d ] || exit 90' || fail "an installation fails, or its policy stays: $? $(cat "$work/out")"
saw '^policy 101$' "services may start"
saw ' --no-remove ' "packages may be removed"
saw '^systemctl disable brought.service$' "what it brought starts with the machine"

printf '#!/bin/sh\nexit 104\n' > "$work/others-policy"
run 'cmp -s "$W/others-policy" /usr/sbin/policy-rc.d || exit 90' || fail "another's policy is not left alone: $(cat "$work/out")"
saw '^policy 104$' "another's policy is not asked"
rm "$work/others-policy"

# Killed: the policy that was left lets services start, and goes, as soon as it is asked.
touch "$work/kill"
run 'sleep 0.2; [ -e /usr/sbin/policy-rc.d ] || exit 91; /usr/sbin/policy-rc.d ssh start || exit 92; [ ! -e /usr/sbin/policy-rc.d ] || exit 93; exit 0' ||
    fail "after a kill: $? $(cat "$work/out")"
rm "$work/kill"

touch "$work/removes"
run '' && fail "something is removed unasked"
grep -q '  old-package' "$work/out" && grep -q 'nothing was installed' "$work/out" && grep -q -- '--may-remove test' "$work/out" ||
    fail "it is not said what would go: $(cat "$work/out")"
[ ! -s "$work/seen" ] || fail "it installs all the same: $(cat "$work/seen")"
run '' --may-remove || fail "--may-remove is no answer: $(cat "$work/out")"
saw ' --remove ' "packages may not be removed"

# Another apt-get runs, as on a fresh machine that looks for updates: it is named and waited for.
cat > "$work/before" <<'HELD'
mount -t tmpfs none /var/lib/apt/lists || exit 99
python3 -c 'import fcntl, time
lock = open("/var/lib/apt/lists/lock", "w")
fcntl.lockf(lock, fcntl.LOCK_EX)
open("/var/lib/apt/lists/held", "w").close()
time.sleep(2)
print("let go", flush=True)' &
for _ in $(seq 50); do [ -e /var/lib/apt/lists/held ] || sleep 0.1; done
HELD
rm -f "$work/removes"
run '' || fail "while another apt-get runs: $? $(cat "$work/out")"
[[ $(tr '\n' ' ' < "$work/out") == *"apt is busy (python3, process "*"waiting until it is done"*"let go"*"installing"* ]] ||
    fail "it is not said, or not waited, that apt is busy: $(cat "$work/out")"
[ $failures = 0 ]
