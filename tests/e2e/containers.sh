#!/bin/bash
# Container images by the judgement of those who run them: skopeo reads and copies them, umoci unpacks them to the tree that tar
# holds, podman starts them as their configuration says. With a Debian tree: layers that images have in common.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
export SOURCE_DATE_EPOCH=1700000000
for program in skopeo umoci podman; do
    type -P $program > /dev/null || { echo "SKIPPED: $program is needed" && exit 77; }
done
base=(-n)
# create NAME OPTION…: the image in every form.
create() {
    "$HEARTH" image create "${base[@]}" -t tar,docker,oci,oci-archive -o "$1" --docker-target "${1,,}:1" "${@:2}" > out 2>&1 < /dev/null ||
        fail "$1: $(cat out)"
}
forms() { printf '%s\n' "docker-archive:$1.docker" "oci:$1.oci:${1,,}:1" "oci-archive:$1.oci.tar"; }

export DIB_CONTAINER_CONFIG=$'ENV GREETING="hello there" LEVEL=1\nUSER daemon\nEXPOSE 80 53/udp'
create web --image-version 1.2 --container-config 'ENTRYPOINT ["/bin/bash", "-c"]' --container-config 'ENV LEVEL=2' \
    --container-config 'CMD ["echo \"$GREETING $LEVEL\"; id -u; pwd; cat /.dotfile"]' --container-config 'WORKDIR /usr/lib' \
    --container-config "LABEL org.example.owner='the web team'" --container-config 'STOPSIGNAL SIGQUIT' --container-config 'VOLUME /srv' \
    tiny-os
unset DIB_CONTAINER_CONFIG
forms web | while read -r form; do
    skopeo inspect --config "$form" > config || fail "skopeo: $form"
    jq -e '.created == "2023-11-14T22:13:20Z" and .os == "linux" and (.config | .User == "daemon" and .WorkingDir == "/usr/lib"
        and .Entrypoint == ["/bin/bash", "-c"] and (.Cmd | length) == 1 and (.ExposedPorts | keys) == ["53/udp", "80/tcp"]
        and .Labels == {"org.example.owner": "the web team", "org.opencontainers.image.version": "1.2"} and .StopSignal == "SIGQUIT"
        and (.Volumes | keys) == ["/srv"] and (.Env | index("GREETING=hello there") and index("LEVEL=2")))' config > /dev/null ||
        fail "$form has another configuration: $(cat config)"
done

# Nothing was said: the shell, and a PATH.
create plain tiny-os
skopeo inspect --config oci:plain.oci:plain:1 | jq -e '.config == {Env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
    Cmd: ["/bin/bash"]}' > /dev/null || fail "the plain image has another configuration"

# The names of a layer's blobs are right: a copy checks all of them.
for name in web plain; do
    forms $name | while read -r form; do
        rm -rf copy && skopeo copy -q "$form" dir:copy 2> verdict || fail "skopeo copy $form: $(cat verdict)"
    done
done

# listing DIR: what a tree holds; sums of files, too.
listing() {
    (cd "$1" && find . ! -path './dev/*' ! -path './proc/*' ! -path './sys/*' -printf '%p %y %m %U %G %T@ %l\n' | sort &&
        find . -type f ! -path './dev/*' -exec sha256sum {} + | sort)
}
# same_tree NAME: unpacked by umoci it is what tar has.
same_tree() {
    mkdir "$1.tree" && tar -xpf "$1.tar" --numeric-owner --xattrs -C "$1.tree"
    umoci unpack --image "$1.oci:${1,,}:1" "$1.bundle" > verdict 2>&1 || { fail "umoci: $(cat verdict)" && return; }
    listing "$1.tree" | sed 's/\.0000000000 / /' > expected
    listing "$1.bundle/rootfs" | sed 's/\.0000000000 / /' > found
    diff expected found > difference || fail "umoci unpacks another tree of $1: $(head -20 difference)"
}
if [ "$(id -u)" = 0 ]; then
    same_tree plain
    # Storage of its own, no network, the limits that there are; crun wants control groups of version 2, or none that it sees.
    run_here() {
        unshare -m bash -c 'umount -l /sys/fs/cgroup 2> /dev/null; mount -t cgroup2 none /sys/fs/cgroup 2> /dev/null; exec "$@"' bash \
            podman --root "$work/storage" --runroot "$work/run" --storage-driver vfs --cgroup-manager cgroupfs --events-backend none "$@"
    }
    start() {
        run_here run --rm --network none --cgroups disabled --security-opt seccomp=unconfined --ulimit nofile=1000:1000 \
            --ulimit nproc=1000:1000 "$@"
    }
    run_here load -q -i web.docker > verdict 2>&1 || fail "podman load: $(cat verdict)"
    run_here pull -q oci-archive:plain.oci.tar > verdict 2>&1 || fail "podman pull: $(cat verdict)"
    for _ in 1 2 3; do # on a busy machine podman loses what a container says that ends at once
        start localhost/web:1 > said 2> verdict && [ ! -s said ] || break
    done
    if [ -s said ]; then
        printf '%s\n' 'hello there 2' 1 /usr/lib kept | diff - said > difference || fail "podman runs something else: $(cat difference)"
        [ "$(start localhost/web:1 'echo "$GREETING"')" = 'hello there' ] || fail "the entry point is not used"
        [ "$(echo 'echo $0' | start -i "$(run_here images -q plain)")" = /bin/bash ] || fail "an image without configuration starts no shell"
    else
        echo "SKIPPED: part: podman starts no container here: $(tail -1 verdict)"
    fi
    run_here rmi -a -f > /dev/null 2>&1 || true
else
    echo "SKIPPED: part: unpacking with owners, and podman: needs root"
fi

# What is changed in an image's configuration is seen, and nothing else is built again.
"$HEARTH" image create -n -t oci -o plain --container-config 'USER nobody' tiny-os > out 2>&1 < /dev/null || fail "$(cat out)"
[ "$(skopeo inspect --config oci:plain.oci | jq -r .config.User)" = nobody ] || fail "the layout was not made again: $(cat out)"
kept=(plain-20*.oci)
skopeo inspect "oci:${kept[0]}:plain:1" > /dev/null || fail "the earlier layout was not kept whole"
DIB_CONTAINER_CONFIG='USER daemon' OVERWRITE_OLD_IMAGE=1 "$HEARTH" image create -n -t oci -o plain tiny-os > out 2>&1 < /dev/null || fail "$(cat out)"
[ "$(skopeo inspect --config oci:plain.oci | jq -r .config.User)" = daemon ] || fail "the variable was not seen: $(cat out)"
kept=(plain-20*.oci)
[ "${#kept[@]}" = 1 ] || fail "an overwritten layout was kept"

# Bad input is refused before anything is built.
"$HEARTH" image create -n -t oci -o bad --container-config 'ENTYPOINT ["x"]' tiny-os > out 2>&1 < /dev/null && fail "a wrong word is taken"
expect_text out "--container-config: 'ENTYPOINT' configures no container, did you mean ENTRYPOINT?"
"$HEARTH" image create -n -t oci -o bad --container-config 'CMD ["x"' tiny-os > out 2>&1 < /dev/null && fail "broken JSON is taken"
expect_text out "this is no JSON list of strings"
ls bad.* 2> /dev/null && fail "something was written"

# IMAGE.yaml has it as a list.
cat > image.yaml <<'YAML'
- imagename: described
  types: [oci]
  skip-base: true
  container-config: ['CMD ["/bin/echo", "a, b"]', ENV A=1]
  elements: [tiny-os]
YAML
"$HEARTH" image create image.yaml > out 2>&1 < /dev/null || fail "$(cat out)"
[ "$(skopeo inspect --config oci:described.oci | jq -c .config.Cmd)" = '["/bin/echo","a, b"]' ] || fail "IMAGE.yaml is not heard: $(cat out)"

# Two images of one system have all but the last layer in common.
debian_release
export DIB_RELEASE=$release
base=() # as e2e.outdated has it, so that one bootstrap serves both
create one debian-minimal
same_tree one
mkdir -p mine/mine/install.d
printf '#!/bin/bash\necho mine > /usr/local/mine\necho mine > /etc/motd\n' > mine/mine/install.d/50-mine
chmod +x mine/mine/install.d/50-mine
ELEMENTS_PATH=$PWD/mine:$ELEMENTS_PATH create two debian-minimal mine
layers() { skopeo inspect "oci:$1.oci:$1:1" | jq -r '.Layers[]'; }
[ "$(layers one | wc -l)" = 3 ] || fail "there are not three layers: $(layers one)"
[ "$(layers one | head -2)" = "$(layers two | head -2)" ] || fail "the layers of packages differ"
[ "$(layers one | tail -1)" != "$(layers two | tail -1)" ] || fail "the last layers are the same"
finish
