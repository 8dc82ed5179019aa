#!/bin/bash
# Installs the packages that Hearth needs on Debian 12, 13 and sid, only those that are missing.
#
# usage: install-packages.sh [--may-remove] GROUP…      groups: build run test peers analysis; image, more and libraries
#        are the parts of run
#        install-packages.sh --list GROUP…  only prints the names that this release has for them
#        install-packages.sh --relation GROUP…  prints them as a package's dependencies
#        install-packages.sh --download DIR GROUP…  for a machine without network: fetches the packages into DIR, with all
#          that they depend on, down to the base system, an index for apt (Packages), and the names
#
# Needs root, or sudo. When nothing is missing, neither root nor the network is touched. No service of an installed package
# is started, now or when the machine starts next. What was there stays: where a package can only be had in exchange for
# another (libboost1.81-dev for the libboost1.74-dev family), it asks on a terminal, and else stops; --may-remove or
# HEARTH_MAY_REMOVE=1 is the answer in advance. That also says that the machine is there for this: dpkg does not wait for its
# disk, and no initramfs is made where /boot has no kernel. HEARTH_ANY_RELEASE=1 tries on another system that has apt, too.
set -euo pipefail

# a|b|c is the first of these names that the release has. A name that ends in ? is left out where the release has no such
# package: what needs it skips and says so.
declare -A packages=(
  # What compiles and links everything.
  [build]="g++ cmake ninja-build pkg-config ccache libarchive-dev libyaml-cpp-dev nlohmann-json3-dev libboost1.81-dev|libboost-dev
    libboost-filesystem1.81-dev|libboost-filesystem-dev libssl-dev libgnutls28-dev libp11-kit-dev nettle-dev libgmp-dev
    libtasn1-6-dev libidn2-dev libunistring-dev libisal-dev libdeflate-dev libzstd-dev liblz4-dev zlib1g-dev libsqlite3-dev
    libpcre2-dev libpq-dev libext2fs-dev comerr-dev libcrypt-dev libguestfs-dev"
  # The programs that hearth runs while it makes an ordinary image: what its own package depends on.
  [image]="mmdebstrap debian-archive-keyring e2fsprogs dosfstools mtools fdisk grub-pc-bin grub-efi-amd64-bin grub-common
    qemu-utils uidmap slirp4netns zstd xz-utils iproute2"
  # Those for other kinds of images, for starting them, for network boot and for nodes: what its package recommends.
  [more]="btrfs-progs xfsprogs qemu-system-x86 squashfs-tools ovmf xorriso erofs-utils systemd-boot-efi ipxe pxelinux
    syslinux-common shim-signed grub-efi-amd64-signed libguestfs0|libguestfs0t64 libguestfs-xfs supermin thin-provisioning-tools
    linux-image-cloud-amd64 ipmitool libpq5"
  # The libraries that it links, for where it comes ready-made (in a bundle).
  [libraries]="libarchive13|libarchive13t64 libssl3|libssl3t64 libisal2 libdeflate0 libzstd1 liblz4-1 zlib1g libsqlite3-0 libpcre2-8-0 libpq5
    libext2fs2|libext2fs2t64 libcom-err2 libcrypt1 libstdc++6"
  # What the quick tests need: test libraries, linters, small tools.
  [test]="libgtest-dev libgmock-dev python3 python3-markdown python3-jsonschema python3-yaml universal-ctags shellcheck clang-format-14? git openssl openssh-client
    curl gdisk jq rsync libarchive-tools ifupdown"
  # What all other tests need, too: the original programs that the peer tests compare with, servers, a browser.
  [peers]="clang-14? initramfs-tools-core cpio lsb-release bc kpartx python3-pip-whl python3-diskimage-builder diskimage-builder-doc sudo debootstrap zsh fish wget openssh-server tftp-hpa atftp isc-dhcp-client? isc-dhcp-relay?
    dnsmasq-base kea-admin kea-dhcp4-server isc-dhcp-server? nginx-light docker-registry wrk apache2-utils systemd-container postgresql
    python3-pip git-lfs python3-openstackclient python3-ironicclient python3-heatclient python3-sushy openipmi graphviz
    cryptsetup-bin dmsetup mdadm libvirt-daemon libvirt-daemon-driver-qemu libvirt-clients guestfish skopeo umoci podman
    python3-dib-utils python3-os-collect-config python3-os-apply-config python3-os-refresh-config
    ansible-core puppet-agent nodejs npm chromium gnupg dpkg-dev make slurm-wlm munge faketime
    python3-ironic heat-cfntools? python3-heat python3-jinja2"
  # For the presets tidy, fuzz and coverage.
  [analysis]="clang-14 clang-tidy-14 libfuzzer-14-dev libclang-rt-14-dev gcovr"
)

packages[run]="${packages[image]} ${packages[more]} ${packages[libraries]}"

say() { printf 'install-packages: %s\n' "$*" >&2; }

die() {
  say "$*"
  exit 1
}

# names GROUP…: the entries of these groups, one a line.
names() {
  local group
  for group in "$@"; do
    [ -n "${packages[$group]:-}" ] ||
      die "there is no group '$group'; groups: build run image more libraries test peers analysis"
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

# release: what this machine runs. Fails when the lists are not made for it.
release() {
  local id=unknown codename='' name='an unknown system'
  if [ -r /etc/os-release ]; then
    id=$(. /etc/os-release && printf '%s' "${ID:-unknown}")
    codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
    name=$(. /etc/os-release && printf '%s' "${PRETTY_NAME:-$ID}")
  fi
  printf '%s' "$name"
  case $id:$codename in
    debian:bookworm | debian:trixie | debian:forky | debian:sid) ;;
    *) return 1 ;;
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

# as_root COMMAND…: through sudo where we are not root; may_install has seen to its password.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    sudo -n "$@"
  fi
}

apt_options=(-y -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0)

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 apt-get "${apt_options[@]}" "$@" </dev/null
}

# What keeps a service from being started: Debian's own way, a policy-rc.d that refuses. It holds as long as somebody has the
# lock, which is apt-get while it runs. Left behind by a run that was killed, it takes itself away when it is asked next.
policy=/usr/sbin/policy-rc.d
policy_lock=/run/hearth-install-packages.lock
policy_mark='of install-packages.sh of Hearth'

quiet_services() {
  [ ! -e "$policy" ] || grep -qF "$policy_mark" "$policy" || return 0  # another's, which may have reasons of its own
  as_root sh -c 'cat >"$1.new" && chmod 0755 "$1.new" && mv "$1.new" "$1"' sh "$policy" <<END
#!/bin/sh
# $policy_mark: no service is started by packages while it installs them.
flock --nonblock $policy_lock true || exit 101
rm -f $policy $policy_lock
exit 0
END
}

loud_services() {
  ! grep -qsF "$policy_mark" "$policy" || as_root rm -f "$policy" "$policy_lock"
}

# wanted_units: what systemd starts with the machine.
wanted_units() {
  find /etc/systemd/system -path '*.wants/*' -type l -printf '%f\n' 2>/dev/null | sort -u
}

# without_services COMMAND…: none is started by it, and none of those that it brings will start with the machine.
without_services() {
  local before code=0 new
  before=$(wanted_units)
  # shellcheck disable=SC2064  # the log's name as it is now
  trap "rm -f '$log'; loud_services" EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  quiet_services
  "$@" || code=$?
  loud_services
  mapfile -t new < <(comm -13 <(printf '%s\n' "$before") <(wanted_units))
  if [ ${#new[@]} -gt 0 ] && command -v systemctl >/dev/null; then
    as_root systemctl disable "${new[@]}" >>"$log" 2>&1 || true
    say "not started, and off when the machine starts next: ${new[*]}"
  fi
  return "$code"
}

locked_apt() {
  local quicker=()
  if [ -n "${HEARTH_MAY_REMOVE:-}" ]; then
    # The machine is there for this: after a power cut it is made anew, so dpkg need not wait for the disk. One that has no kernel in
    # /boot starts by another, and needs no initramfs of the one that comes for guests; it would take a minute.
    compgen -G '/boot/vmlinuz-*' >/dev/null || quicker=(INITRD=No)
    set -- -o DPkg::Options::=--force-unsafe-io "$@"
  fi
  as_root flock "$policy_lock" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "${quicker[@]}" apt-get "${apt_options[@]}" "$@" \
    </dev/null >>"$log" 2>&1
}

# known_names NAME…: fails when one of them is an entry that this release has no package for.
known_names() {
  local name lacking=()
  for name in "$@"; do [ "${name#!}" = "$name" ] || lacking+=("${name#!}"); done
  [ ${#lacking[@]} -eq 0 ] ||
    die "apt knows no package ${lacking[*]} here (this is $(release || true)); install what stands for it by hand"
}

# may_install NAME…: fails at once, and says what to do, where these can't be installed.
may_install() {
  local system
  if ! system=$(release) && [ -z "${HEARTH_ANY_RELEASE:-}" ]; then
    die "this is $system, and Hearth is made for Debian 12, 13 and sid; missing here: $*
  What to do: use one of those (a container or a virtual machine will do), or set HEARTH_ANY_RELEASE=1 to try on this one."
  fi
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    die "needs root or sudo to install: $*
  What to do: run this again as root, or let root run: bash $0 ${groups[*]}"
  fi
  mirror_answers || die "no network: none of apt's mirrors answers ($(mirrors | tr '\n' ' ')); to be installed: $*
  What to do: connect this machine, or name a mirror that it reaches in /etc/apt/sources.list (a proxy: Acquire::http::Proxy in
  /etc/apt/apt.conf). For a machine that never has a network: bash $0 --download DIR ${groups[*]}, on another one."
  [ "$(id -u)" = 0 ] || sudo_works || die "sudo lets nobody in here; to be installed: $*
  What to do: run this again on a terminal (for the password) or as root, or let root run: bash $0 ${groups[*]}"
}

# sudo_works: it asks for a password only where there is someone to ask.
sudo_works() {
  if [ -t 0 ]; then sudo -v; else sudo -n true 2>/dev/null; fi
}

# apt_holder: who has one of apt's locks now, as "NAME, process N"; fails when nobody has.
apt_holder() {
  local lock inode pid
  for lock in /var/lib/apt/lists/lock /var/lib/dpkg/lock-frontend /var/cache/apt/archives/lock; do
    inode=$(stat -c %i "$lock" 2>/dev/null) || continue
    pid=$(awk -v inode="$inode" '$2 == "POSIX" && $6 ~ ":" inode "$" { print $5; exit }' /proc/locks)
    [ -n "$pid" ] || continue
    printf '%s, process %s\n' "$(cat "/proc/$pid/comm" 2>/dev/null || echo 'another program')" "$pid"
    return
  done
  return 1
}

# wait_for_apt: a fresh machine often looks for updates by itself. apt-get would wait without a word, or fail at once.
wait_for_apt() {
  local began=$SECONDS told='' holder
  while holder=$(apt_holder); do
    [ "$holder" = "$told" ] || say "apt is busy ($holder); waiting until it is done, for ten minutes at most…"
    told=$holder
    [ $((SECONDS - began)) -lt 600 ] || die "apt is still busy ($holder).
  What to do: let it end, or end it, and run this again; nothing was installed."
    sleep 0.5
  done
}

# mirrors: HOST:PORT of what apt would talk to: its proxy, else each mirror. Nothing where it reads files only.
mirrors() {
  local site
  { apt-config dump 2>/dev/null | sed -n 's/^Acquire::https\?::Proxy "\([^"]\+\)";$/\1/p' | grep -vi '^direct' ||
    apt-get indextargets --format '$(SITE)' 2>/dev/null || true; } | sort -u |
    while read -r site; do
      case $site in
        http://* | https://*) ;;
        *) continue ;;
      esac
      local port=80 host=${site#*://}
      [ "${site%%://*}" = http ] || port=443
      host=${host%%/*}
      host=${host##*@}
      [[ $host != *:* ]] || { port=${host##*:} && host=${host%:*}; }
      printf '%s:%s\n' "$host" "$port"
    done | sort -u
}

mirror_answers() {
  local found mirror
  found=$(mirrors)
  [ -n "$found" ] || return 0
  for mirror in $found; do
    # shellcheck disable=SC2016  # for the inner shell
    timeout 2 bash -c 'exec 3<>"/dev/tcp/$1/$2"' bash "${mirror%:*}" "${mirror##*:}" 2>/dev/null && return 0
  done
  return 1
}

# nothing_goes NAME…: or its going was agreed to.
nothing_goes() {
  local going answer=''
  [ -z "$may_remove" ] || return 0
  going=$(LC_ALL=C.UTF-8 apt-get -s -q --no-install-recommends install "$@" 2>/dev/null | sed -n 's/^Remv \([^ ]*\).*/\1/p' | sort -u)
  [ -n "$going" ] || return 0
  say "to install what is missing, these have to be removed:"
  printf '  %s\n' $going >&2
  if [ -t 0 ] && [ -t 2 ]; then
    read -rp 'install-packages: remove them? [y/N] ' answer
    [[ $answer != [yY]* ]] || { may_remove=yes && return 0; }
  fi
  die "nothing was installed. To let them go: HEARTH_MAY_REMOVE=1, or bash $0 --may-remove ${groups[*]}"
}

# install: the groups' packages, after a look at the archive, which may have other names than the lists that were there.
install() {
  local began=$SECONDS wanted remove=--no-remove
  log=$(mktemp)
  # shellcheck disable=SC2064  # the name as it is now
  trap "rm -f '$log'" EXIT
  wait_for_apt
  say "reading the package lists…"
  apt update >"$log" 2>&1 || say "apt-get update failed; trying with the lists that are there"
  mapfile -t wanted < <(chosen "${groups[@]}")
  known_names "${wanted[@]}"
  mapfile -t wanted < <(missing "${wanted[@]}")
  [ ${#wanted[@]} -gt 0 ] || return 0
  say "${#wanted[@]} missing: ${wanted[*]}"
  nothing_goes "${wanted[@]}"
  [ -z "$may_remove" ] || remove=--remove
  wait_for_apt
  say "installing…"
  if ! without_services locked_apt install $remove --no-install-recommends "${wanted[@]}"; then
    tail -n 30 "$log" >&2
    die "apt-get could not install these packages (its last lines are above); this is $(release || true)"
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
  may_remove=${HEARTH_MAY_REMOVE:-}
  if [[ ${1:-} == --help || ${1:-} == -h ]]; then
    sed -n '2,/^set /{/^#/s/^# \?//p}' "${BASH_SOURCE[0]}"
    return
  fi
  if [ "${1:-}" = --relation ]; then
    shift
    names "$@" | sed 's/?$//; s/|/ | /g' | paste -sd, | sed 's/,/, /g'
    return
  fi
  if [ "${1:-}" = --may-remove ]; then
    may_remove=yes
    shift
  fi
  if [ "${1:-}" = --list ]; then
    only_list=yes
    shift
  fi
  if [ "${1:-}" = --download ]; then
    [ $# -ge 2 ] || die "--download needs a directory"
    target=$2
    shift 2
  fi
  [ $# -gt 0 ] ||
    die "usage: install-packages.sh [--may-remove | --list | --relation | --download DIR] GROUP… (build run image more libraries test peers analysis)"
  groups=("$@")
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
  may_install "${lacking[@]#!}"
  install
}

main "$@"
