#!/bin/bash
# `cmake --install` into an empty place: all is there, the programs work from there, nothing leads back to the build tree.
# usage: install.sh BUILD SOURCE
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
build=$1
source=$2
root=$work/root
unset HEARTH_DATA_DIR HEARTH_AGENT_BINARY COLUMNS
DESTDIR=$root cmake --install "$build" --prefix /usr > install.log 2>&1 || { cat install.log; exit 1; }
hearth=$root/usr/bin/hearth

# ---- what is there
for file in bin/hearth-agent share/hearth/elements/.shims share/hearth/elements/debian-minimal share/hearth/schemas/site.json share/doc/hearth/LICENSE \
    share/doc/hearth/README.md share/doc/hearth/pxe/README.md share/doc/hearth/bootstrap/README.md \
    share/doc/hearth-agent/LICENSE share/doc/hearth-agent/copyright share/doc/hearth/copyright share/doc/hearth/examples/hello/metadata.json share/man/man1/hearth.1 \
    share/man/man1/hearth-image-create.1 share/man/man1/disk-image-create.1 share/man/man1/hearth-agent.1 \
    share/man/man1/hearth-agent-os-net-config.1 share/man/man1/os-collect-config.1 share/man/man1/os-net-config.1 share/man/man7/hearth-ssh.7 share/man/man7/hearth-first-image.7 share/bash-completion/completions/hearth \
    share/fish/vendor_completions.d/hearth.fish lib/sysusers.d/hearth.conf lib/systemd/system/hearth-pxe.service; do
    [ -e "$root/usr/$file" ] || fail "$file is not installed"
done
compgen -G "$root/usr/share/zsh/*/_hearth" > /dev/null || fail "there is no completion for zsh"
for name in disk-image-create ramdisk-image-create diskimage-builder disk-image-get-kernel element-info dib-lint dib-block-device; do
    [ "$(readlink "$root/usr/bin/$name")" = hearth ] || fail "bin/$name is no relative link to hearth"
    [ "$(readlink "$root/usr/share/bash-completion/completions/$name")" = hearth ] || fail "bash would not complete $name"
done
[ ! -e "$root/usr/share/doc/hearth/examples/quickstart.sh" ] || fail "quickstart.sh, which compiles, is installed"
diff -r "$source/elements" "$root/usr/share/hearth/elements" || fail "the installed elements differ from the sources'"

# ---- the texts' links lead somewhere
for texts in hearth hearth-agent; do
    python3 -B "$source/tests/lint/links.py" "$root/usr/share/doc/$texts" > links 2>&1 || fail "links of installed texts: $(cat links)"
done
[ "$(readlink "$root/usr/share/doc/hearth/elements")" = ../../hearth/elements ] || fail "the texts don't find the elements"

# ---- nothing leads back: neither programs nor texts name the source or the build tree
for tree in "$build" "$source"; do
    grep -rlF -- "$tree" "$root" > named || true
    [ ! -s named ] || fail "$tree is named in $(tr '\n' ' ' < named)"
done

# ---- units name what is installed, and systemd understands them
for unit in hearth-pxe hearth-conductor; do
    file=$root/usr/lib/systemd/system/$unit.service
    expect_text "$file" "ExecStart=/usr/bin/hearth " "file:///usr/share/doc/hearth/"
    documented=$(sed -n 's#^Documentation=.*file://##p' "$file")
    [ -e "$root$documented" ] || fail "$unit documents itself in $documented, which is not installed"
    page=$(sed -n 's/^Documentation=man:\([^(]*\)(1).*/\1/p' "$file")
    [ -e "$root/usr/share/man/man1/$page.1" ] || fail "$unit documents itself in $page(1), which is not installed"
    if command -v systemd-analyze > /dev/null; then
        sed "s#/usr/bin/hearth#$hearth#; s#^Documentation=.*##" "$file" > "$work/$unit.service"
        systemd-analyze verify "$work/$unit.service" > verify 2>&1 || { fail "systemd refuses $unit"; cat verify >&2; }
        ! grep -F "$unit.service" verify || fail "systemd has something to say about $unit"
    fi
done
DESTDIR=$work/local cmake --install "$build" --prefix /usr/local > /dev/null
expect_text "$work/local/usr/local/lib/systemd/system/hearth-pxe.service" "ExecStart=/usr/local/bin/hearth "

# ---- manual pages and completions: of every command, and without a warning
"$hearth" help commands | sed -n 's/^  \([a-z][a-z -]*[a-z]\)  .*/\1/p' > commands
[ "$(wc -l < commands)" -gt 100 ] || fail "help commands lists $(wc -l < commands) commands"
while read -r command; do
    [ -e "$root/usr/share/man/man1/hearth-${command// /-}.1" ] || fail "'$command' has no manual page"
done < commands
if command -v groff > /dev/null; then
    groff -man -Tutf8 -ww -z "$root"/usr/share/man/man1/*.1 "$root"/usr/share/man/man7/*.7 > troff 2>&1 || true
    [ ! -s troff ] || { fail "troff has something to say about the pages"; head -5 troff >&2; }
fi
offered() {
    PATH=$root/usr/bin:$PATH bash -c '. "$1"; shift; compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _hearth "$1" "${!#}"; printf "%s " "${COMPREPLY[@]}"' bash "$root/usr/share/bash-completion/completions/hearth" "$@"
}
[ "$(offered hearth baremetal introspection bulk '')" = "start status " ] || fail "a fourth word: $(offered hearth baremetal introspection bulk '')"
[ "$(offered hearth image create -t raw,qc)" = "raw,qcow2 raw,qcow " ] || fail "a value: $(offered hearth image create -t raw,qc)"
[ "$(offered hearth image create debian-mi)" = "debian-minimal " ] || fail "an element: $(offered hearth image create debian-mi)"
[ "$(offered disk-image-create --image-si)" = "--image-size " ] || fail "an option: $(offered disk-image-create --image-si)"

# ---- help keeps to the terminal's width
"$hearth" 2> overview && fail "without words it ends well"
[ "$(wc -L < overview)" -le 80 ] || fail "the overview has lines of $(wc -L < overview) columns"
for topic in images "image create" nodes environment files; do
    # shellcheck disable=SC2086  # a command has several words
    COLUMNS=70 "$hearth" help $topic > page
    [ "$(wc -L < page)" -le 80 ] || fail "help $topic has lines of $(wc -L < page) columns"
done
"$hearth" --version | grep -Eq '^hearth [0-9.]+( \([0-9a-f]{12}(, changed)?\))?$' || fail "--version: $("$hearth" --version)"

# ---- it builds an image with the agent in it
export DIB_INIT_SYSTEM=systemd
export TINY_OS_PROGRAMS='bash basename cat chmod chown cp dirname echo env false find grep head id install ln ls mkdir mktemp mv rm
    rmdir sed sleep sort stat touch tr true'
"$hearth" image create -n -t tar -o tiny tiny-os hearth-agent > build.log 2>&1 || { cat build.log >&2; fail "the build failed"; }
tar -tf tiny.tar > content
grep -qx './usr/bin/hearth-agent' content || fail "no agent is in the image"
finish
