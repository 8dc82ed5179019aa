#!/bin/bash
# Makes the root tree that both builders start from: a small Debian with what the elements lean on most, as a tar file.
# Needs the network and root.
#
# usage: base_root.sh FILE
set -euo pipefail

target=$1
[ ! -s "$target" ] || exit 0
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
packages=systemd-sysv,udev,dbus,kmod,sudo,python3,python3-yaml,gnupg,gnupg2,gpgv,ca-certificates,busybox,rsync,git,iproute2
packages+=,locales,curl,wget,procps,netbase,ifupdown,isc-dhcp-client,openssh-server,adduser,lsb-release,tzdata,eatmydata
packages+=,apt-transport-https
apt-get indextargets --format '$(REPO_URI) $(RELEASE)' | sort -u |
    awk -v r="$release" '$2 == r || $2 == r "-security" || $2 == r "-updates" { print "deb", $1, $2, "main" }' > "$target.sources"
mmdebstrap --quiet --mode=root --variant=apt --include="$packages" --format=tar \
    --dpkgopt=force-unsafe-io --aptopt='Acquire::Languages "none"' \
    --customize-hook='rm -f "$1/etc/hostname"' \
    "$release" "$target.part" - < "$target.sources"
rm -f "$target.sources"
mv "$target.part" "$target"
