#!/bin/bash
# The elements that the field uses, on a real Debian: what they install is there, starts and is sound.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
type -P mmdebstrap > /dev/null || { echo "SKIPPED: mmdebstrap is needed" && exit 77; }
[ "$(id -u)" = 0 ] || { echo "SKIPPED: the tree is entered as root" && exit 77; }
debian_release

export DIB_RELEASE=$release DIB_DEV_USER_PASSWORD=pass-word DIB_MODPROBE_BLACKLIST=floppy DIB_VLANS='eth0.25=dhcp'
"$HEARTH" image create -t tar -o field debian-minimal openssh-server devuser stackuser dynamic-login local-config svc-map \
    element-manifest modprobe dhcp-all-interfaces first-boot-vlans cloud-init-nocloud dib-python simple-init source-repositories growroot \
    > out 2>&1 < /dev/null || { cat out >&2 && exit 1; }
mkdir tree
tar -C tree -xf field.tar
mknod -m 0666 tree/dev/null c 1 3 2> /dev/null || { echo "SKIPPED: no device nodes can be made here" && exit 77; }
mknod -m 0666 tree/dev/urandom c 1 9

for unit in multi-user.target.wants/ssh multi-user.target.wants/ssh-keygen multi-user.target.wants/dynamic-login \
    multi-user.target.wants/systemd-networkd sysinit.target.wants/first-boot-vlans; do
    [ -L "tree/etc/systemd/system/$unit.service" ] || fail "$unit.service is not enabled"
done
systemd-analyze verify --man=no --root="$PWD/tree" ssh.service ssh-keygen.service dynamic-login.service \
    first-boot-vlans.service simple-init.service growroot.service > units 2>&1 || fail "units: $(cat units)"
[ ! -s units ] || fail "units: $(cat units)"

[ -z "$(find tree/etc/ssh -name 'ssh_host*')" ] || fail "the image has host keys"
mkdir -p tree/run/sshd
chroot tree /usr/local/sbin/runtime-ssh-host-keys.sh
chroot tree sshd -T > sshd 2> complaints || fail "sshd: $(cat complaints)"
expect_text sshd "ciphers chacha20-poly1305@openssh.com,aes256-gcm@openssh.com"
! grep -q 'hmac-sha1' sshd || fail "weak checksums are allowed"
grep -qE '^kexalgorithms (mlkem768x25519-sha256,)?sntrup761x25519-sha512' sshd || fail "key exchanges: $(grep kex sshd)"
[ -x tree/usr/bin/systemd-repart ] || fail "nothing that grows the root is there"

chroot tree su devuser -c 'sudo -n true' 2> /dev/null && fail "devuser may use sudo, though nobody said so"
[ "$(cat tree/etc/machine-id)" = uninitialized ] || fail "the image has a machine id"
expect_text tree/etc/modprobe.d/blacklist.conf "blacklist floppy"
[ ! -e tree/usr/local/bin/dib-python ] || fail "dib-python was left in the image"
python3 -m json.tool field.d/dib-manifests/dib-manifest-dpkg-field > packages || fail "the list of packages is no JSON"
expect_text packages '"package": "openssh-server"' '"package": "python3"' '"package": "git"'
expect_text field.d/dib-manifests/dib-element-manifest first-boot-vlans debootstrap
[ "$(stat -c %a tree/etc/hostname)" = 644 ] || fail "/etc/hostname has mode $(stat -c %a tree/etc/hostname)"

# Ubuntu's element says what it needs; given a mirror and its keys, here Debian's, it builds.
env -u DIB_RELEASE "$HEARTH" image create -t tar -o nowhere ubuntu-minimal > out 2>&1 < /dev/null && fail "Ubuntu builds from nowhere"
expect_text out "set DIB_DISTRIBUTION_MIRROR to a mirror of Ubuntu"
export DIB_DISTRIBUTION_MIRROR=$mirror DIB_DEBIAN_COMPONENTS=main DIB_UBUNTU_MIRROR_DISTS='' DIB_UBUNTU_KERNEL=none
DIB_APT_KEYRING=/no/such/keyring "$HEARTH" image create -t tar -o keyless ubuntu-minimal > out 2>&1 < /dev/null && fail "Ubuntu builds without keys"
expect_text out "there is no file /no/such/keyring"
if [ -f /usr/share/keyrings/debian-archive-keyring.gpg ]; then
    DIB_APT_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg "$HEARTH" image create -t tar -o other ubuntu-minimal > out 2>&1 < /dev/null || fail "$(cat out)"
    tar -xOf other.tar ./etc/hostname > hostname
    expect_text hostname ubuntu
fi
finish
