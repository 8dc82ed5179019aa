#!/bin/bash
# Installs the packages that Hearth needs on Debian 12, 13 and sid, only those that are missing.
#
# usage: install-packages.sh GROUP…      groups: build run test analysis
#        install-packages.sh --list GROUP…  only prints the names that this release has for them
#        install-packages.sh --download DIR GROUP…  for a machine without network: fetches the packages into DIR, with all
#          that they depend on, down to the base system, an index for apt (Packages), and the names
#
# Needs root, or sudo. libboost1.81-dev replaces the libboost1.74-dev family where that is installed; apt does the
# exchange. When nothing is missing, neither root nor the network is touched.
set -euo pipefail

# a|b|c is the first of these names that the release has. A name that ends in ? is left out where the release has no such
# package: what needs it skips and says so.
declare -A packages=(
  # What compiles and links everything.
  [build]="g++ cmake ninja-build pkg-config ccache libarchive-dev libyaml-cpp-dev nlohmann-json3-dev libboost1.81-dev|libboost-dev
    libboost-filesystem1.81-dev|libboost-filesystem-dev libssl-dev libisal-dev libdeflate-dev libzstd-dev liblz4-dev zlib1g-dev libsqlite3-dev
    libpq-dev libfdisk-dev libext2fs-dev comerr-dev libguestfs-dev"
  # The programs that hearth runs while it makes, converts and starts images, and the libraries that it links, for where
  # it comes ready-made (in a bundle).
  [run]="mmdebstrap debian-archive-keyring e2fsprogs dosfstools mtools fdisk btrfs-progs xfsprogs grub-pc-bin
    grub-efi-amd64-bin grub-common qemu-system-x86 qemu-utils squashfs-tools ovmf uidmap zstd xz-utils
    xorriso erofs-utils systemd-boot-efi ipxe pxelinux syslinux-common shim-signed grub-efi-amd64-signed
    libguestfs0|libguestfs0t64 libguestfs-xfs supermin thin-provisioning-tools linux-image-cloud-amd64 ipmitool
    iproute2 libarchive13|libarchive13t64 libyaml-cpp0.7|libyaml-cpp0.8|libyaml-cpp0.9 libssl3|libssl3t64 libisal2 libdeflate0 libzstd1 liblz4-1 zlib1g
    libsqlite3-0 libpq5 libfdisk1 libext2fs2|libext2fs2t64 libcom-err2 libcrypt1 libstdc++6"
  # Test libraries, linters, and the original programs that the peer tests compare with.
  [test]="libgtest-dev libgmock-dev python3 universal-ctags shellcheck clang-format-14? python3-diskimage-builder
    sudo debootstrap git rsync wget openssl openssh-client openssh-server tftp-hpa atftp isc-dhcp-client? dnsmasq-base kea-admin gdisk
    curl nginx-light wrk apache2-utils systemd-container postgresql
    python3-openstackclient python3-ironicclient python3-heatclient python3-sushy openipmi
    libvirt-daemon libvirt-daemon-driver-qemu libvirt-clients
    python3-dib-utils python3-os-collect-config python3-os-apply-config
    nodejs npm chromium
    python3-os-refresh-config python3-ironic heat-cfntools? python3-heat python3-jinja2 python3-yaml ifupdown jq libarchive-tools"
  # For the presets tidy, fuzz and coverage.
  [analysis]="clang-14 clang-tidy-14 libfuzzer-14-dev libclang-rt-14-dev gcovr"
)

say() { printf 'install-packages: %s\n' "$*" >&2; }

die() {
  say "$*"
  exit 1
}

# names GROUP…: the entries of these groups, one a line.
names() {
  local group
  for group in "$@"; do
    [ -n "${packages[$group]:-}" ] || die "there is no group '$group'; groups: build run test analysis"
    printf '%s\n' ${packages[$group]}
  done
}

# chosen GROUP…: the names that this release has for the entries, one a line; "!entry" for one that it has no package for. Where
# apt knows of nothing (its lists were never read, or this is no Debian), the first name of each stands for itself.
chosen() {
  local entries
  entries=$(names "$@")
  { apt-cache pkgnames 2>/dev/null || true; } | awk -v entries="$entries" '
    { known[$0] = 1 }
    END {
      count = split(entries, entry, "\n")
      for (i = 1; i <= count; i++) {
        optional = sub(/[?]$/, "", entry[i])
        alternatives = split(entry[i], name, "|")
        for (a = 1; a <= alternatives && !(name[a] in known); a++);
        if (a <= alternatives) print name[a]
        else if (NR == 0) print name[1]
        else if (!optional) print "!" entry[i]
      }
    }'
}

# release: what this machine runs, and a word when the lists are not made for it.
release() {
  local id=unknown codename='' name='an unknown system'
  if [ -r /etc/os-release ]; then
    id=$(. /etc/os-release && printf '%s' "${ID:-unknown}")
    codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
    name=$(. /etc/os-release && printf '%s' "${PRETTY_NAME:-$ID}")
  fi
  case $id:$codename in
    debian:bookworm | debian:trixie | debian:forky | debian:sid) printf '%s' "$name" ;;
    *) printf '%s; the lists are made for Debian 12, 13 and sid' "$name" ;;
  esac
}

# missing NAME…: those that are not installed, one a line. Node.js from elsewhere than Debian brings npm with it, and
# conflicts with Debian's.
missing() {
  if command -v npm >/dev/null; then
    local name others=()
    for name in "$@"; do [ "$name" = npm ] || others+=("$name"); done
    set -- "${others[@]}"
  fi
  # dpkg-query fails when it has never heard of one of the names: that one is missing, too.
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p') || true
  comm -23 <(printf '%s\n' "$@" | sort -u) <(sort -u <<<"$installed")
}

# as_root COMMAND…: through sudo where we are not root; asks for a password only where there is someone to ask.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif [ -t 0 ]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 apt-get -y -q -o Acquire::Retries=3 \
    -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 "$@" </dev/null
}

# known_names NAME…: fails when one of them is an entry that this release has no package for.
known_names() {
  local name lacking=()
  for name in "$@"; do [ "${name#!}" = "$name" ] || lacking+=("${name#!}"); done
  [ ${#lacking[@]} -eq 0 ] || die "apt knows no package ${lacking[*]} here (this is $(release)); install what stands for it by hand"
}

# install GROUP…: after a look at the archive, which may have other names than the lists that were there.
install() {
  local log began=$SECONDS wanted
  log=$(mktemp)
  # shellcheck disable=SC2064  # the name as it is now
  trap "rm -f '$log'" EXIT
  case $(release) in *';'*) say "this is $(release); trying all the same" ;; esac
  say "reading the package lists…"
  apt update >"$log" 2>&1 || say "apt-get update failed; trying with the lists that are there"
  mapfile -t wanted < <(chosen "$@")
  known_names "${wanted[@]}"
  mapfile -t wanted < <(missing "${wanted[@]}")
  [ ${#wanted[@]} -gt 0 ] || return 0
  set -- "${wanted[@]}"
  say "$# missing: $*"
  say "installing…"
  if ! apt install --no-install-recommends "$@" >>"$log" 2>&1; then
    tail -n 30 "$log" >&2
    die "apt-get could not install these packages (its last lines are above); this is $(release)"
  fi
  say "installed in $((SECONDS - began)) s"
}

# index DIR: describes the packages in it for apt, in DIR/Packages. An epoch in a file's name (_1%3a) would be taken for a
# quoted colon.
index() {
  local deb
  for deb in "$1"/*%3a*.deb; do
    [ ! -e "$deb" ] || mv "$deb" "${deb/_*%3a/_}"
  done
  for deb in "$1"/*.deb; do
    dpkg-deb -f "$deb"
    printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' "${deb##*/}" "$(stat -c %s "$deb")" "$(sha256sum "$deb" | cut -d' ' -f1)"
  done >"$1/Packages"
}

# download DIR NAME…: as if nothing were installed.
download() {
  local directory began=$SECONDS
  mkdir -p "$1/partial"
  directory=$(cd "$1" && pwd)
  shift
  : >"$directory/partial/status"
  printf '%s\n' "$@" >"$directory/names"
  apt-get -q -y --no-install-recommends --download-only -o Dir::State::status="$directory/partial/status" \
    -o Dir::Cache::archives="$directory" -o Debug::NoLocking=1 -o APT::Sandbox::User="$(id -un)" \
    -o Acquire::Retries=3 install '?essential' apt "$@" </dev/null >"$directory/partial/log" 2>&1 || {
    tail -n 30 "$directory/partial/log" >&2
    die "apt-get could not fetch these packages (its last lines are above); is its list of packages up to date?"
  }
  rm -rf "$directory/partial"
  index "$directory"
  say "$(find "$directory" -name '*.deb' | wc -l) packages in $directory, in $((SECONDS - began)) s"
}

main() {
  local only_list='' target=''
  if [ "${1:-}" = --list ]; then
    only_list=yes
    shift
  fi
  if [ "${1:-}" = --download ]; then
    [ $# -ge 2 ] || die "--download needs a directory"
    target=$2
    shift 2
  fi
  [ $# -gt 0 ] || die "usage: install-packages.sh [--list | --download DIR] GROUP… (build run test analysis)"
  local wanted lacking
  mapfile -t wanted < <(chosen "$@")
  [ ${#wanted[@]} -gt 0 ] || exit 1  # names() has said why
  if [ -n "$only_list" ]; then
    known_names "${wanted[@]}"
    printf '%s\n' "${wanted[@]}"
    return
  fi
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
    die "this is not a Debian system; install by hand what '$0 --list $*' prints"
  if [ -n "$target" ]; then
    known_names "${wanted[@]}"
    download "$target" "${wanted[@]}"
    return
  fi
  mapfile -t lacking < <(missing "${wanted[@]}")
  [ ${#lacking[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
    die "needs root or sudo to install: ${lacking[*]}"
  install "$@"
}

main "$@"
