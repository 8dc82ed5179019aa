#!/bin/bash
# Hearth's own container image, made by Hearth: what `cmake --install` installs over a minimal Debian of this machine's release, with
# the programs that Hearth runs. container.sh SOURCE BUILD DIR [KEY]: writes DIR/hearth.oci.tar and hearth.docker with their evidence,
# signed by KEY (an Ed25519 private key), else by one that is made once and kept there.
set -euo pipefail
source=$1 build=$2 directory=$3 key=${4:-}
most=$((150 * 1000 * 1000)) # bytes, compressed: what is fetched before a job of CI begins

mkdir -p "$directory"
cd "$directory"
rm -rf stage
for component in hearth hearth-agent; do
    DESTDIR=$PWD/stage cmake --install "$build" --prefix /usr --component "$component" --strip > /dev/null
done
if [ -z "$key" ]; then
    key=$PWD/key.pem
    [ -e "$key" ] || (umask 077 && openssl genpkey -algorithm ed25519 -out "$key")
fi
openssl pkey -in "$key" -pubout -out hearth.pub

packages=$(bash "$source/cmake/install-packages.sh" --list image libraries | sort -u | paste -sd,)
release=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
DIB_RELEASE=$release DIB_HEARTH_STAGE=$PWD/stage ELEMENTS_PATH=$source/examples/container/elements \
    "$build/builder/hearth" image create -t oci-archive,docker -o hearth --docker-target hearth:latest --sign-key "$key" -p "$packages" \
    --container-config 'WORKDIR /images' --container-config 'CMD ["hearth", "help"]' hearth-itself
"$build/builder/hearth" image verify hearth.oci.tar --key hearth.pub
size=$(stat -c %s hearth.oci.tar)
if [ "$size" -gt "$most" ]; then
    echo "container: hearth.oci.tar has $size bytes, more than $most" >&2
    exit 1
fi
echo "container: $PWD/hearth.oci.tar, $((size / 1000000)) MB; key: $PWD/hearth.pub; try: podman run --rm oci-archive:$PWD/hearth.oci.tar"
