# shellcheck shell=bash
# An ordinary user with sub-ids, for tests that root runs, without making one: nobody, to whom this machine seems to have given
# ranges. /etc/subuid and subgid are covered in a mount namespace, which goes with its processes. To be sourced; `work` is set.
: "${work:?}"
user=nobody

# need_user: skips where root can't play one.
need_user() {
    [ "$(id -u)" = 0 ] || { echo "SKIPPED: needs root, to play an ordinary user" && exit 77; }
    type -P newuidmap > /dev/null || { echo "SKIPPED: newuidmap is needed (package uidmap)" && exit 77; }
    echo "$user:300000:65536" > "$work/sub-ids"
    install -d -o "$user" -g "$(id -g "$user")" "$work/user"
    chmod 0755 "$work"
}

# as_user COMMAND…: in the user's directory.
as_user() {
    # shellcheck disable=SC2016  # for the inner shell
    SUB_IDS=$work/sub-ids HOME=$work/user DIB_IMAGE_CACHE=$work/user/cache unshare --mount --propagation private -- bash -euc '
        mount --bind "$SUB_IDS" /etc/subuid && mount --bind "$SUB_IDS" /etc/subgid
        cd "$HOME"
        user=$1 && shift
        exec setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups -- "$@"' as-user "$user" "$@"
}
