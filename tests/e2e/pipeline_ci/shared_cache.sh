#!/bin/bash
# `hearth image pipeline` for GitLab on two runners that have nothing in common but a cache on the network: gitlab-ci-local plays
# them in different directories, as different users, on machines of other names (UTS namespaces) and with other CI_ variables; each sees
# its own files only. The cache is nginx by `hearth cache export --nginx`, exactly as it is written, then a server that takes what
# bazel-remote takes (remote_execution.py). The second runner takes every layer. usage: shared_cache.sh FOLDER (as pipeline_ci.sh)
# shellcheck source-path=SCRIPTDIR/.. source=lib.sh
folder=$1
. "$(dirname "$0")/../lib.sh"
. "$here/npm.sh"
# shellcheck source=pipeline_images.sh
. "$here/pipeline_images.sh"
# shellcheck source=as_user.sh
. "$here/as_user.sh"
nginx=$(command -v nginx || command -v /usr/sbin/nginx) || { echo "SKIPPED: nginx is not installed" && exit 77; }
need_user
export HEARTH
with_npm "$here/pipeline_ci" "$folder" gitlab-ci-local git
copies_while_jobs_end "$folder/bin"
sed -i '/^- imagename: it/,$d' images.yaml  # a name that GitLab can't carry
"$HEARTH" image create images.yaml < /dev/null > out 2>&1 || fail "image create: $(cat out)"
digests > wanted
[ "$(wc -l < wanted)" = 6 ] || fail "not six images: $(cat wanted)"
forget

servers=()
clean_up() {
    local server
    for server in "${servers[@]}"; do kill "$server" 2> /dev/null || true; done
    wait
    rm -rf "$work"
}
trap clean_up EXIT
port=$((20000 + $$ % 20000))

# ---- nginx, beside its own configuration as Debian lays it
openssl genpkey -algorithm ed25519 -out site.pem 2> /dev/null
openssl pkey -in site.pem -pubout -out site.pub
openssl req -x509 -newkey rsa:2048 -nodes -keyout tls.key -out tls.pem -days 2 -subj /CN=cache -addext subjectAltName=IP:127.0.0.1 2> /dev/null
"$HEARTH" cache export --nginx --directory "$work/served" --listen "127.0.0.1:$port" --certificate tls.pem \
    --certificate-key tls.key nginx.conf || fail "cache export --nginx"
# What it says is to be done before: these lines, as they are.
sed -n 's/^#   \(install\|chown\)/\1/p' nginx.conf > prepare
[ "$(wc -l < prepare)" = 2 ] || fail "not two commands: $(cat nginx.conf)"
eval "$(sed -n 1p prepare)"
password() {  # NAME FILE…
    sed -n 's/^#   \((umask.*\)/\1/p' nginx.conf | sed "s/'NAME/'$1/; s/passwd -6/passwd -6 very-secret/"
}
eval "$(password writer)"
eval "$(password reader | sed 's/ | tee -a \(.*\) >> .*)$/ >> \1)/')"
eval "$(sed -n 2p prepare)"
grep -q '^reader:' served/readers && ! grep -q '^reader:' served/writers || fail "passwords: $(head served/readers served/writers)"
cat > main.conf << END
user www-data; pid $work/nginx.pid; error_log $work/nginx.log; daemon off;
events {}
http { access_log off; include $work/nginx.conf; }
END
"$nginx" -e "$work/nginx.log" -c "$work/main.conf" 2>> nginx.start &
servers+=($!)
url=https://127.0.0.1:$port
ask() { curl -s --cacert tls.pem -o answer -w '%{http_code}' "$@"; }
for _ in $(seq 100); do
    [ "$(ask "$url/")" != 404 ] || break
    kill -0 "${servers[0]}" 2> /dev/null || fail "nginx does not start: $(cat nginx.start nginx.log)"
    sleep 0.1
done
layer=cas/$(printf '%064d' 1)
head -c 3000000 /dev/urandom > bytes
[ "$(ask "$url/$layer")" = 401 ] || fail "who has no password is let in"
[ "$(ask -u reader:very-secret "$url/$layer")" = 404 ] || fail "something is there that nobody put there"
[ "$(ask -u reader:very-secret -T bytes "$url/$layer")" = 401 ] || fail "who may only read adds a layer"
[ "$(ask -u writer:wrong -T bytes "$url/$layer")" = 401 ] || fail "a wrong password adds a layer"
[ "$(ask -u writer:very-secret -T bytes "$url/$layer")" = 201 ] || fail "PUT is refused: $(cat nginx.log)"
[ "$(ask -u reader:very-secret "$url/$layer")" = 200 ] && cmp -s answer bytes || fail "what was PUT comes back otherwise"
[ "$(ask -u writer:very-secret -X DELETE "$url/$layer")" != 204 ] || fail "anybody can delete"
[ "$(ask -u writer:very-secret -T bytes "$url/ac/../../writers")" != 201 ] || fail "a file beside the layers is written"
rm "served/data/$layer"

# ---- what bazel-remote takes
python3 "$here/pipeline_ci/remote_execution.py" > port &
servers+=($!)
for _ in $(seq 100); do [ ! -s port ] || break; sleep 0.1; done
bazel=http://127.0.0.1:$(cat port)

authorities=/etc/ssl/certs/ca-certificates.crt  # where all runners look, whose is nobody's for hooks
[ -f $authorities ] || { echo "SKIPPED: there is no $authorities (package ca-certificates)" && exit 77; }

# run_there RUNNER USER CACHE: all jobs of GitLab on a machine of this name, whose only files are its own, by gitlab-ci-local.
run_there() {
    local runner=$1 who=$2 cache=$3 home=$work/machine/$1
    mkdir -p "machine/$runner"
    cp -r elements images.yaml "machine/$runner/"
    (cd "machine/$runner" && ELEMENTS_PATH=$home/elements:$here/elements "$HEARTH" image pipeline images.yaml --for gitlab -o .gitlab-ci.yml) ||
        fail "the pipeline of $runner"
    git init -q "machine/$runner"
    git -C "machine/$runner" -c user.name=x -c user.email=x@host.example add -A
    git -C "machine/$runner" -c user.name=x -c user.email=x@host.example commit -qm images
    git -C "machine/$runner" remote add origin "https://gitlab.example/$runner/images.git"
    mkdir -p "machine/$runner/.config/hearth"
    cp site.pem "machine/$runner/.config/site.pem"
    printf 'remote-cache = %s\nremote-cache-key = ~/.config/site.pem\nimage-cache = ~/own-cache\n' "$cache" \
        > "machine/$runner/.config/hearth/hearth.conf"
    chmod 0600 "machine/$runner/.config/hearth/hearth.conf" "machine/$runner/.config/site.pem"
    chown -R "$who" "machine/$runner"
    # shellcheck disable=SC2016  # for the inner shell
    env -i PATH="$folder/bin:$PATH" HEARTH="$HEARTH" SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" HOME="$home" SSL_CERT_FILE="$authorities" \
        ELEMENTS_PATH="$home/elements:$here/elements" \
        CI_RUNNER_ID=$RANDOM CI_JOB_TOKEN="glcbt-$RANDOM" GITLAB_USER_ID=$RANDOM RUNNER_TEMP_PROJECT_DIR="$home/$RANDOM" \
        timeout 180 unshare --mount --uts --propagation private -- bash -euc '
        runner=$1 who=$2 home=$3 folder=$4 work=$5 sub_ids=$6
        hostname "$runner.example"
        mount --bind "$sub_ids" /etc/subuid && mount --bind "$sub_ids" /etc/subgid
        mount --bind "$work/tls.pem" "$SSL_CERT_FILE"
        own=$(mktemp -d /tmp/own.XXXXXX)
        mount --bind "$home" "$own"
        mount -t tmpfs -o mode=0755 none "$work"        # nothing of the other, nor of the servers
        mkdir -p "$home"
        mount --move "$own" "$home"
        rmdir "$own"
        cd "$home"
        exec setpriv --reuid "$who" --regid "$(id -g "$who")" --clear-groups -- \
            node "$folder/node_modules/.bin/gitlab-ci-local" --concurrency 2 --shell-isolation --no-color \
                --variable "CI_JOB_TOKEN=$RANDOM" --variable "CI_PIPELINE_ID=$RANDOM" --variable "CI_COMMIT_SHA=$RANDOM$RANDOM" < /dev/null' \
        runner "$runner" "$who" "$home" "$folder" "$work" "$work/sub-ids" > "$runner.out" 2>&1 ||
        fail "gitlab-ci-local, $runner: $(cat "$runner.out")"
    (cd "machine/$runner" && digests | cmp - "$work/wanted") || fail "$runner: other bytes than by one image create"
}
# Steps that are too quick to be worth a layer run again.
took_all() {
    jq -es 'length == 6 and all(.[].steps[]; .outcome == "taken" or .seconds < 0.3)' "machine/$1"/*.d/steps.json > /dev/null ||
        fail "$1 did not take every layer: $(grep -rhoE 'hearth: (a layer is there|the remote cache).*' "machine/$1" | sort -u; jq -c '[.steps[] | {step, outcome, seconds}]' "machine/$1"/*.d/steps.json)"
    ! grep -rqF very-secret "machine/$1"/*.d "$1.out" || fail "$1: the password is told"
}

secret=${url/\/\////writer:very-secret@}
run_there alpha nobody "$secret"
[ "$(find served/data/cas -type f | wc -l)" -ge 4 ] || fail "alpha handed in too few layers: $(cat alpha.out)"
run_there beta root "$secret"
took_all beta
run_there gamma root "$bazel"
run_there delta nobody "$bazel"
took_all delta
finish
