#!/bin/bash
# What people mistype, at every command that a person types at: it is told before any work begins, with the place and the nearest
# right thing. A row for each mistake.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
export HEARTH_NODE_STATE=$work/nodes HEARTH_UPSTREAM_ELEMENTS=no

# listed: sets `list` to the names of all that is there, but of the state, and of what was said; no process is started for it.
listed() {
    local IFS=/ names=() name
    shopt -s dotglob globstar nullglob
    for name in *; do
        [ "$name" = nodes ] || [ "$name" = said ] || names+=("$name" "$name"/**)
    done
    shopt -u dotglob globstar nullglob
    list="${names[*]}"
}

# mistake CODE TEXT… -- WORD…: `hearth WORD…` ends with CODE within seconds and says each TEXT; nothing is written.
mistake() {
    local code=$1 texts=() got=0 before list
    shift
    while [ "$1" != -- ]; do
        texts+=("$1")
        shift
    done
    shift
    listed
    before=$list
    timeout 20 "$HEARTH" "$@" > said 2>&1 < /dev/null || got=$?
    [ "$got" = "$code" ] || fail "hearth $*: exit code $got in place of $code: $(cat said)"
    expect_text said "${texts[@]}"
    listed
    [ "$before" = "$list" ] || fail "hearth $*: something was written"
}

truncate -s 1M disk.raw
echo text > text.txt
head -c 1M /dev/urandom > random.raw
cat > stack.yaml <<'YAML'
heat_template_version: 2018-08-31
parameters: {motd: {type: string}}
resources:
  cfg: {type: OS::Heat::SoftwareConfig, properties: {group: script, config: {get_param: motd}}}
YAML
cat > inventory.json <<'JSON'
{"nodes": [{"name": "alpha", "pm_type": "fake-hardware", "mac": ["02:00:00:00:00:01"]},
           {"name": "dead", "pm_type": "redfish", "pm_addr": "127.0.0.1:9", "pm_system_id": "1", "pm_user": "u", "pm_password": "p", "mac": ["02:00:00:00:00:03"]}]}
JSON
"$HEARTH" node import inventory.json > said 2>&1 && fail "a BMC that is not there is taken"
expect_text said "note: kept in $work/nodes, where no conductor runs"
expect_text said "stays enroll" "Connection refused"
"$HEARTH" node import inventory.json > said 2>&1 && fail "a BMC that is still not there is taken by the second import"
expect_text said "(dead) is as the file has it, and stood in enroll with a fault: it is tried again" \
    "Nothing changed: 2 nodes are as the file has them." "node dead stays enroll: " "Connection refused"
"$HEARTH" why dead --state "$work/nodes" > said 2>&1 || true
expect_text said " UTC; nobody has tried it since"
files=$(stat -c '%n %y' nodes/*)
"$HEARTH" node import inventory.json --initial-state enroll > said 2>&1 || fail "the same import again: $(cat said)"
expect_text said "Nothing changed: 2 nodes are as the file has them." "node dead is still enroll: " "hearth why dead"
"$HEARTH" node import inventory.json --initial-state enroll --json > said 2> told || fail "the same import as JSON: $(cat told)"
python3 -c 'import json; r = json.load(open("said"))["refused"]; assert [n["name"] for n in r] == ["dead"] and "Connection refused" in r[0]["last_error"], r' ||
    fail "a program is not told what was refused: $(cat said)"
[ "$files" = "$(stat -c '%n %y' nodes/*)" ] || fail "an import that changes nothing wrote to the state: $(stat -c '%n %y' nodes/*)"

# Commands
mistake 2 "there is no command 'imge'; did you mean 'image'?" -- imge
mistake 2 "did you mean 'image create'?" -- image crate
mistake 2 "did you mean 'completion zsh'" -- completion zhs
mistake 2 "there is no command 'node power onn'; did you mean 'node power on'?" -- node power onn alpha
mistake 2 "there is no command 'node power reboot'; did you mean 'node reboot'?" -- node power reboot alpha
mistake 2 "behind 'node power' stands off or on" -- node power frob alpha
mistake 2 "there is no command 'node boot device' here" "openstack baremetal node boot device" "hearth help ironic" -- node boot device set alpha pxe
mistake 2 "unrecognized option '--server'" "SERVER stands by itself, without an option: hearth metadata bake DIR SERVER" -- metadata bake out --server web1
mistake 2 "there is no command 'metadata check'; did you mean 'metadata lint'?" -- metadata check
mistake 2 "there is no command 'node why'; did you mean 'why alpha'?" -- node why alpha
mistake 2 "there is no command 'image lint'; did you mean 'element lint' or 'metadata lint'?" -- image lint
mistake 2 "did you mean '--version'?" -- version
mistake 2 "did you mean '--version'?" -- --versoin
mistake 2 "hearth image create" -- build
mistake 2 "hearth node events NODE" -- logs
mistake 2 "there is no command 'create'; did you mean 'image create'" -- create -o d vm
mistake 2 "there is no command 'disk-image-create'; did you mean 'image create'?" -- disk-image-create vm
mistake 2 "there is no command 'node boot-device'" "hearth node" -- node boot-device alpha
for command in "show" "set" "delete" "manage" "power on" "boot-log" "deploy" "validate"; do  # "$NODE", which is not set
    # shellcheck disable=SC2086
    mistake 2 "an empty word names nothing; is a variable not set?" -- node $command ""
done

# What is likely to be typed: words in another order, of OpenStack's clients, in the plural or in one; options of theirs, or of another
# command; a file without its ending, of the folder above, or where a name or an option is meant. In one go each: CODE|WORDS|TEXT
mkdir -p slips/sub
cp disk.raw slips/disk.raw
cp stack.yaml inventory.json slips
pushd slips > said
tar -cf web.tar disk.raw
touch x.qcow2
printf -- '- imagename: shop\n  elements: [tiny-os]\n' > images.yaml
printf 'network: {subnet: 192.0.2.0/24}\n' | tee site.yaml > ../above.yaml
while IFS='|' read -r code line text; do
    # shellcheck disable=SC2086
    mistake "$code" "$text" -- $line
done << 'SLIPS'
2|list nodes|did you mean 'node list'?
2|list elements|did you mean 'element list'?
2|create image -t tar tiny-os|did you mean 'image create'?
2|create stack demo -t stack.yaml|did you mean 'stack create'?
2|show node alpha|did you mean 'node show'?
2|import node inventory.json|did you mean 'node import'?
2|delete node alpha|did you mean 'node delete'?
2|deploy node alpha|did you mean 'node deploy'?
2|power on alpha|did you mean 'node power on'?
2|info element tiny-os|did you mean 'element info'?
2|serve node|did you mean 'node serve'?
2|check site site.yaml|did you mean 'site check'?
2|verify bundle x.bundle|did you mean 'bundle verify'?
2|node alpha power on|did you mean 'node power on alpha'?
2|node power alpha off|did you mean 'node power off alpha'?
2|node --list|did you mean 'node list'?
2|--verbose node list|did you mean 'node list --verbose'?
2|-V|did you mean '--version'?
2|baremetal node list|did you mean 'node list'?
2|baremetal node power on alpha|did you mean 'node power on'?
2|baremetal port list|did you mean 'node port list'?
2|openstack baremetal node show alpha|did you mean 'node show'?
2|openstack stack create demo|did you mean 'stack create'?
2|openstack image list|did you mean 'image list'?
2|event list demo|did you mean 'stack event list'?
2|stack output list demo|did you mean 'stack output show'?
2|stack resources demo|did you mean 'stack resource list'?
2|node provision alpha|did you mean 'node deploy'?
2|node start alpha|hearth node power on NODE
2|node rm alpha|did you mean 'node delete'?
2|image rm disk|did you mean 'image unload'?
2|image upload disk.raw|did you mean 'image load'?
2|image sign disk.raw|hearth image create --sign-key KEY
2|cache show|did you mean 'cache list'?
2|cache clean|did you mean 'cache prune'?
2|nodes list|did you mean 'node list'?
2|images list|did you mean 'image list'?
2|element lists|did you mean 'element list'?
2|node_list|did you mean 'node list'?
2|image_create|did you mean 'image create'?
2|node power_on alpha|did you mean 'node power on'?
2|node boot_log alpha|did you mean 'node boot-log'?
2|node list --format json|did you mean '--json'?
2|node list -f json|did you mean '--json'?
2|node show alpha -f json|did you mean '--json'?
2|node list -c Name|did you mean '--json'?
2|node list --fields name,uuid|did you mean '--json'?
2|stack list --format=json|did you mean '--json'?
2|node list --os-cloud seed|did you mean '--url'?
2|node list --debug|hearth node list has --
2|node console alpha --provision-state active|--provision-state is an option of hearth node list
2|image create --image_size 4G tiny-os|did you mean '--image-size'?
2|image create --size 4G tiny-os|did you mean '--image-size SIZE'?
2|image create --name web tiny-os|did you mean '-o NAME'?
2|node serve --site site.yaml|did you mean '--boot SITE'?
2|image boot disk.raw --ram 2048|did you mean '--memory'?
2|image boot disk.raw --port 80:80|did you mean '--forward'?
2|image boot disk.raw --memory 2G|--memory 2048
2|image test disk.raw --http http://localhost:8080/health|of the guest's own that is --http 8080/health
2|node set alpha --driver_info ipmi_username=u|did you mean '--driver-info'?
2|node set alpha driver_info/ipmi_port=1|did you mean --driver-info ipmi_port=1?
2|node set alpha name=x|did you mean --name x?
2|node list alpha|did you mean 'node show alpha'?
2|stack create demo stack.yaml|A file is named by -t, --template FILE.
2|stack update demo stack.yaml|A file is named by -t, --template FILE.
2|metadata lint stack.yaml env.yaml|'env.yaml' is one word too many
2|node deploy alpha --image ./x.qcow2|hearth image load ./x.qcow2; then: hearth node deploy alpha --image x
2|node manage ../above.yaml|'../above.yaml' is a file, and the name of a node is expected
2|node deploy alpha x.qcow2|An image for machines is named by --image: hearth image load x.qcow2
1|node validate inventory.json|inventory.json is a file: hearth node import takes an inventory
1|node list --state available|hearth node list --provision-state available
1|node list --url localhost:6385|http://HOST:PORT
1|image inspect wbe.tar|Did you mean web.tar?
1|image inspect disc.raw|Did you mean disk.raw?
1|image verify disk|Did you mean disk.raw?
1|image boot sub/disk.raw|Did you mean disk.raw?
1|site check site.yml|Did you mean site.yaml?
1|rehearse site|Did you mean site.yaml?
1|site check above.yaml|Did you mean ../above.yaml?
1|node import inventory|Did you mean inventory.json?
1|node import inventroy.json|Did you mean inventory.json?
1|image load disk|Did you mean disk.raw?
1|image create images|Did you mean images.yaml?
1|image plan sub/images.yaml|Did you mean images.yaml?
1|image create -n -t tar tiny-os,vm|Elements stand with blanks between: tiny-os vm
2|help DIB_QUITE|did you mean 'DIB_QUIET'?
2|help HEARTH_CASHE|did you mean 'HEARTH_CACHE'?
2|help image crate|did you mean 'image create'?
2|help tiny_os|did you mean 'tiny-os'?
2|help exit-code|did you mean 'exit-codes'?
0|help --provision-state|hearth node list
SLIPS
popd > said
rm -r slips above.yaml

# Variables
HEARTH_NODE_STAET=x mistake 0 "did you mean HEARTH_NODE_STATE?" -- node list
HEARTH_LAYERS=copy mistake 2 "HEARTH_LAYERS: 'copy' is not known" "Known: copies" -- image create -n -t tar tiny-os
DIB_IMAGE_SIZE=big mistake 2 "DIB_IMAGE_SIZE: 'big' is not a size" -- image create -n -t raw tiny-os

# Files of images: all of it at once, and what is not closed where it was opened.
printf -- '- imagename: x\n  imagesize: 3\n  checksum: maybe\n' > faults.yaml
printf -- '- imagename: x\n  elements: [tiny-os\n  types: [tar]\n' > open.yaml
mistake 1 "faults.yaml:2:3: unknown key 'imagesize', did you mean image-size?" "faults.yaml:3:13: 'checksum' must be true or false" -- image plan faults.yaml
mistake 1 "open.yaml:2:13: this '[' is not closed: no ']' before line 3" -- image plan open.yaml
mistake 1 "Element 'tar' not found: it is an image type" "-t qcow2,tar" -- image create -n -t qcow2 tar

# Images
mistake 0 "no layer of this machine has it; whether the remote cache does, the build asks" -- \
    image plan -n -t tar --remote-cache http://127.0.0.1:9 --remote-cache-insecure tiny-os
mistake 1 "there is no file nofile.yaml" -- image create --dry-run nofile.yaml
mistake 1 "NAME is looked for in $work" -- cache export --image nothere layers.tar
echo ssh > admin.pub
DIB_DEV_USER_AUTHORIZED_KEYS=admin.pup mistake 1 "there is no file admin.pup; did you mean admin.pub?" "it does not begin" -- \
    image create -n -t tar tiny-os devuser
DIB_IMAGE_SIZE=3,5 mistake 2 "'3,5' is not a size" "4G or 4GiB (2^30 bytes each), 4GB (10^9)" -- image create -n -t raw tiny-os
mistake 2 "--until: 'roto.d' is no step of image that layers hold; did you mean 'root.d/" -- image create -n -t tar --until roto.d tiny-os
mistake 2 "unrecognized option '--release'" "DIB_RELEASE=trixie hearth image create" -- image create -n --release trixie tiny-os
mistake 2 "unrecognized option '--mirror'" "DIB_DISTRIBUTION_MIRROR=http://" -- image create -n --mirror http://x tiny-os
mistake 2 "invalid option -- 's'" "--image-size 4G" -- image create -n -s 4G tiny-os
mistake 2 "not 'img'; did you mean 'raw'?" -- image create -n -t img tiny-os
mistake 2 "there is no command 'ls' here" "hearth element list" -- ls
mistake 2 "there is no help on 'toturials'; did you mean 'tutorials'?" -- help toturials
mistake 1 "Element 'nginx' not found" "Is it a package? -p nginx" -- image create -n -t tar tiny-os nginx
ELEMENT_PATH=/x mistake 1 "ELEMENT_PATH is set, and nothing reads it: did you mean ELEMENTS_PATH?" -- image create -n -t tar tiny-os mine
mistake 2 "'5x' is not a whole number of seconds" "5m" -- image test --timeout 5x disk.raw
mistake 1 "there is no image $work/nothere.tar" -- image verify nothere.tar
long=$(printf '%010000d' 0)
for command in "image verify" "image inspect" "element info" "node show" "metadata validate -t" "node import"; do
    # shellcheck disable=SC2086
    mistake 1 "0000…" -- $command "$long"
    [ "$(wc -c < said)" -lt 2000 ] || fail "hearth $command: a long name fills the screen"
done
mistake 1 'there is no image '"$work"'/x\nhearth: all is well' -- image verify $'x\nhearth: all is well'
mistake 1 "there is no image $work/nothere.tar" -- image reproduce --unsigned nothere.tar
mistake 1 "there is no image $work/nothere.raw" -- image inspect nothere.raw
mistake 1 "there is no image $work/nothere.raw" -- image diff disk.raw nothere.raw
mistake 2 "--firmware is bios, uefi or uefi-secure, not 'efi'" -- image boot --firmware efi disk.raw
mistake 2 "--forward: '80;22' is not HOST:GUEST" -- image boot --forward '80;22' disk.raw
mistake 2 "--forward: '80' is not HOST:GUEST, two ports: 8080:80" -- image boot --forward 80 disk.raw
mistake 2 "--forward: ':80' is not HOST:GUEST" -- image boot --forward :80 disk.raw
mistake 2 "--accel is kvm or tcg, not 'kvn'; did you mean 'kvm'?" -- image boot --accel kvn disk.raw
mistake 2 "--timeout: 'abc' is not a whole number of seconds from 1 to" -- image test --timeout abc disk.raw
mistake 2 "not a regular expression: [" -- image test --expect '[' disk.raw
mistake 2 "--allow-local: 'localhost:http' is neither HOST nor HOST:PORT" -- image create -n -t tar --allow-local localhost:http tiny-os
mistake 2 "--allow-local: '127.0.0.1:99999' is neither" -- image create -n -t tar --allow-local 127.0.0.1:99999 tiny-os
mistake 1 "Please include an operating system element" "Known ones: debian debian-minimal" " ubuntu ubuntu-minimal" -- image create -n -t tar vm
mistake 2 "a disk can't become 'qcow3', as FILE's name ends; did you mean qcow2?" -- image convert disk.raw disk.qcow3
mistake 2 "a disk can't become 'tar.zst'" "is one of qcow2, raw, vhd, vhdx, vmdk, vdi, vpc, qcow, qed, parallels." "hearth image create -t tar.zst" -- image convert disk.raw disk.tar.zst
mistake 2 "a disk can't become 'zst'" -- image convert disk.raw disk.zst
mistake 1 "no Ed25519 private key" "openssl genpkey" -- image create -n -t tar --sign-key text.txt tiny-os
DIB_BLOCK_DEVICE_CONFIG=layout.yaml mistake 1 "DIB_BLOCK_DEVICE_CONFIG" "file://" -- image create -n -t raw tiny-os
mistake 1 "there is no cache $work/no-cache" -- cache verify --image-cache no-cache
mistake 1 "there is no cache $work/no-cache" -- cache list --image-cache no-cache
mistake 1 "there is no cache $work/no-cache" -- cache prune --image-cache no-cache
for command in list verify prune; do
    mistake 1 "the cache $work/text.txt is no directory" -- cache $command --image-cache text.txt
done
mistake 2 "'no-cache' is one word too many" -- cache verify no-cache
mistake 1 "there is no file $work/nothere" "hearth cache export" -- cache import --image-cache no-cache nothere
truncate -s 1M zeros.raw
"$HEARTH" image convert zeros.raw zeros.qcow2 > said 2>&1 || fail "image convert: $(cat said)"
expect_text said "zeros.qcow2: " "KiB"
openssl genpkey -algorithm ed25519 -out site.key 2> said
"$HEARTH" image publish --sign site.key zeros.raw zeros.frames > said 2>&1 || fail "image publish: $(cat said)"
! grep -q "will not be" said || fail "frames that are signed now: $(cat said)"
mistake 1 "zeros.frames is what hearth image publish made of an image" "hearth image load zeros.qcow2" -- image load zeros.frames
"$HEARTH" image publish zeros.raw zeros.frames > said 2>&1 || fail "image publish: $(cat said)"
expect_text said "note: zeros.frames is signed, and will not be: there is no --sign KEY"
"$HEARTH" image load disk.raw --kernel text.txt --ramdisk text.txt --state loaded > said 2>&1 || fail "image load: $(cat said)"
expect_text said "note: kept in loaded, where no conductor runs"
cp disk.raw twin.raw
"$HEARTH" image load twin.raw --kernel text.txt --ramdisk text.txt --state "$work/loaded" > said 2>&1 || fail "image load: $(cat said)"
mistake 1 "there is no image disc for machines" "Did you mean disk?" -- image unload disc --state loaded
script -qec "stty cols 64; '$HEARTH' image list --state loaded" screen < /dev/null > /dev/null || fail "image list on a terminal: $(cat screen)"
[ "$(grep '^[+|]' screen | tr -d '\r' | awk '{ print length }' | sort -n | tail -1)" -le 64 ] || fail "image list is too wide: $(cat screen)"
"$HEARTH" image unload disk --state loaded > said 2>&1 || fail "image unload: $(cat said)"
expect_text said "disk is unloaded; 4 files removed"
"$HEARTH" image list --state loaded > said 2>&1 && [ "$(ls loaded/files/images | sed 's/[0-9a-f]\{16\}\.frames/frames/')" = "$(printf 'twin.%s\n' frames kernel ramdisk raw)" ] && ! grep -q disk said ||
    fail "what is left: $(ls loaded/files/images) $(cat said)"
rm -r loaded
mistake 1 "there is no image $work/nothere.raw" -- image convert nothere.raw web.qcow2
mistake 1 "there is no key nothere.pub" "openssl pkey -in key.pem -pubout" -- image verify disk.raw --key nothere.pub
: > empty.raw
mistake 1 "the image $work/empty.raw is empty" -- image convert empty.raw web.qcow2
tar --create --file packed.tar empty.raw
mistake 1 "$work/packed.tar is an archive, and only a disk can be written as one" "hearth image create -t qcow2" -- image convert packed.tar web.qcow2
mkdir layout.oci
mistake 1 "$work/layout.oci is a directory, and only a disk" -- image convert layout.oci web.qcow2
mistake 1 "$work/layout.oci is a directory, and machines start from disks" "podman load -i" -- image boot layout.oci
mistake 1 "$work/packed.tar is an archive, and machines start from disks" "podman load -i $work/packed.tar" -- image test packed.tar
mistake 1 "there is no image $work/zeros" "Did you mean zeros.qcow2?" -- image boot zeros
mistake 1 "the image $work/empty.raw is empty" -- image boot empty.raw
mistake 1 "the image $work/empty.raw is empty" -- image test empty.raw
for option in --dry-run --keep-going "--jobs 2"; do  # none of them is a word that is not heard
    # shellcheck disable=SC2086
    mistake 2 "${option% *} is for images that a file describes" "hearth image plan" -- image create $option -n -t tar tiny-os
done
mistake 1 "Element 'tiny-ox' not found; did you mean 'tiny-os'?" "ELEMENTS_PATH=DIR" -- image plan tiny-ox
mistake 1 "Element 'tiny-ox' not found" "ELEMENTS_PATH=DIR" -- element graph tiny-ox
printf -- '- imagename: shop-web\n  elements: [tiny-os]\n' > shops.yaml
mistake 1 "there is no file shops.yml" "Did you mean shops.yaml?" -- image create shops.yml
mistake 1 "Element 'shop-web' not found: shops.yaml describes an image" "hearth image create shops.yaml --only shop-web" -- image plan shop-web
mistake 1 "Element 'light' not found" "no blanks: -p nginx,light." -- image create -n -p nginx light tiny-os
rm shops.yaml
mistake 1 "zeros.frames is what hearth image publish made of an image, and no disk" "Take the image that it was made of: zeros.qcow2" -- image boot zeros.frames
mistake 1 "zeros.frames is what hearth image publish made of an image, and no disk" "zeros.qcow2" -- image convert zeros.frames web.raw
mistake 2 "'' names no image" -- image create -n -t tar -o "" tiny-os
mistake 2 "a disk of 0 bytes holds nothing" -- image create -n -t raw --image-size 0 tiny-os
mistake 2 "not 'amd46'; did you mean 'amd64'?" -- image create -n -a amd46 -t tar tiny-os
mistake 1 "there is no lock file $work/hearth.lock" "--record" -- image create -n --offline -t tar tiny-os
mistake 2 "--compression is fast, best, zstd or none, not 'zst'; did you mean 'zstd'?" -- image create -n -t tar --compression zst tiny-os
mistake 1 "there is no nothere.d/steps.json" -- why image nothere

mistake 1 "there is no image $work/nothere.tar" -- image sizes nothere.tar
mistake 1 "there is no file in the image disk.raw" -- image sizes disk.raw
mistake 1 "/dev/zero is neither a file nor an archive" -- image sizes /dev/zero
mistake 1 "/dev/null is neither a file nor an archive" -- image inspect /dev/null
if command -v qemu-img > /dev/null; then
    qemu-img convert -f raw -O qcow2 random.raw whole.qcow2 && head -c 300000 whole.qcow2 > cut.qcow2
    mistake 1 "it is damaged, or cut short" "while reading the image cut.qcow2" -- image sizes cut.qcow2
fi
tar -cf whole.tar text.txt
mkdir whole.d
printf '/text.txt\t-0644\t0:0\t5\tsum\troot.d/1\n/half\t-06' > whole.d/tree.tsv
mistake 1 "whole.d/tree.tsv:2: 2 columns in place of 6" -- image sizes whole.tar
printf '/text.txt\t-0644\t0:0\t5\tsum\troot.d/1\n' > whole.d/tree.tsv
printf '{"steps": [' > whole.d/steps.json
for command in sizes why; do
    mistake 1 "whole.d/steps.json:1" -- image "$command" whole.tar
done
printf '{\n"steps": [\n{"outcome": "ran", "step": 5}]}' > whole.d/steps.json
mistake 1 "whole.d/steps.json:3: steps[0]: this is no report of steps: there is a number where a text is expected" -- image why whole.tar
echo '{"steps": 5}' > whole.d/steps.json
mistake 1 "whole.d/steps.json is not a report of steps" -- image sizes whole.tar
mistake 2 "--run: a command for the guest's shell is expected" -- image test disk.raw --run "" --accel tcg
if command -v ssh > said && command -v ssh-keygen > said; then
    mkdir disk.d
    echo '{"packages": [{"package": "systemd", "version": "252.36-1~deb12u1"}]}' > disk.d/manifest.json
    mistake 1 "can't log in to disk.raw: it has no ssh server" "add the element openssh-server" -- image test disk.raw --run true --accel tcg
    rm -r disk.d
fi
mistake 2 "--rows: 'many' is not a whole number from 1 to" -- image sizes disk.raw --rows many
ln -s /dev/null device  # a device itself would be put at risk where this fails, and root tries it
mistake 1 "device is a device, whose place a file would take" -- image inspect whole.tar --svg device
[ -L device ] || fail "a device was replaced by a file"
mistake 2 "--http 80: PORT/PATH[=WORDS] is expected: 80/, 8080/health=ok" -- image test disk.raw --http 80
printf 'serivce:\n  nginx: {running: true}\n' > checks.yaml
mistake 1 "checks.yaml:1:1: there are no checks of type 'serivce'; did you mean 'service'?" -- image test disk.raw --checks checks.yaml
mistake 1 "no-such.yaml" -- image test disk.raw --checks no-such.yaml
mistake 1 "--share: there is no directory nothere" -- image boot disk.raw --share nothere
mistake 2 "--share-writable goes with --share DIR" -- image boot disk.raw --share-writable
mistake 2 "--memory: 16 MiB are too few for any system; 128 at least" -- image boot disk.raw --memory 16

# Elements
mistake 1 "did you mean 'openssh-server'?" -- element info opensh-server
mistake 2 "can't be the name of an element" -- element new ../x

# Metadata
printf '%s\n' 'heat_template_version: 2021-04-16' 'resources:' '  a: {type: OS::Heat::SoftwareConfg}' \
    '  b: {type: OS::Heat::SoftwareConfig, properties: {grup: script}}' > two.yaml
for command in "metadata lint two.yaml" "metadata compile two.yaml -o compiled --seed x" "metadata graph two.yaml" \
    "stack create demo -t two.yaml" "deploy -t two.yaml"; do  # all that is wrong, before anything is asked or made
    # shellcheck disable=SC2086
    mistake 1 "two.yaml:3:13: The Resource Type (OS::Heat::SoftwareConfg) could not be found." "Did you mean group?" -- $command
done
mistake 2 "'stack.yaml' is one word too many: there is one template" -- metadata compile -t stack.yaml stack.yaml -o compiled
mistake 2 "--template: there is no file nosuch.yaml" "--environment: there is no file noenv.yaml" "where to? give -o DIR" -- \
    metadata compile -t nosuch.yaml -e noenv.yaml
mistake 2 "--template: there is no file nosuch.yaml" -- metadata compile -t nosuch.yaml -o compiled
mistake 1 "-P mtod" "id you mean motd?" -- metadata validate -t stack.yaml -P mtod=x
mistake 1 "there is no directory nothere" "hearth metadata compile" -- metadata plan -t stack.yaml -P motd=x nothere
mistake 1 "there is no environment file nothere.yaml" -- metadata graph -t stack.yaml -e nothere.yaml
mistake 2 "--listen 0.0.0.0 without TLS" "--tls-certificate" -- metadata serve --listen 0.0.0.0
mistake 2 "--cfn-port 99999: no port" -- metadata serve --cfn-port 99999
mistake 2 "--tls-key without --tls-certificate" -- metadata serve --tls-key nothere
mistake 1 "there is no template stack.ymal" -- metadata validate -t stack.ymal
mistake 1 "127.0.0.1:9" "hearth metadata serve" -- stack list --url http://127.0.0.1:9/v1/admin
mkdir stateless
mistake 1 "stateless holds neither api-token nor tokens.json" "--state names another directory" -- metadata token list --state stateless

# Network boot
echo '{"interfaces": ["lo"], "mode": "ful", "networks": []}' > site.json
mistake 1 "site.json:1:24: mode: is full or proxy, not 'ful'" -- pxe serve site.json
mistake 2 "'02:00:00:00:00' is no MAC address" -- pxe explain site.json 02:00:00:00:00

# Nodes
mistake 1 "there is no file nothere.json" -- node import nothere.json --state fresh
mistake 1 "there is no file nothere.json" -- baremetal import nothere.json --state fresh
printf '{"nodes": [{"name": "alpha", "pm_type": "fake-hardware", "mac": ["02:00:00:00:00:01"]}]}' > fresh.json
mistake 0 "Would have registered node alpha: fake-hardware, 02:00:00:00:00:01 (its UUID is made then)" -- node import fresh.json --dry-run --state fresh
mistake 1 "Node alpa could not be found" "Did you mean alpha?" -- node show alpa
for read in "list" "show alpha" "power on alpha" "events" "export" "set alpha --name x" "todo"; do
    # shellcheck disable=SC2086
    mistake 1 "there is no state in nodse" "hearth node import FILE" "--state DIR" -- node $read --state nodse
done
mistake 2 "--initial-state is enroll, manageable or available, not 'frob'" -- node import inventory.json --initial-state frob
mistake 2 "did you mean 'manageable'?" -- baremetal import inventory.json --initial-state managable
printf 'pm_type,pm_addr,pm_user,pm_password,mac\n' > empty.csv
mistake 0 "warning: empty.csv has no machine" -- node import empty.csv
printf '[{"name": "odd", "pm_type": "redfish", "pm_addr": "htps://192.0.2.202", "pm_user": "u", "pm_password": "p", "mac": ["02:00:00:00:00:21"]}]' > odd.json
mistake 1 "pm_addr htps://192.0.2.202 is no URL of http or https; did you mean https://?" -- node import odd.json
mistake 1 "Node web could not be found" "There are: alpha, dead" -- node manage web
printf '{"nodes": [{"pm_type": "fake-hardware", "mac": ["02:00:00:00:00:09"]}]}' > nameless.json
"$HEARTH" node import nameless.json > said 2>&1 || fail "a node without a name is not imported: $(cat said)"
nameless=$(grep -oE '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' said | head -n 1)
mistake 1 "Node web could not be found" "There are: " "${nameless:?}" -- node manage web
"$HEARTH" node delete "$nameless" > said || fail "$(cat said)"
mistake 2 "there is no command 'status' here" "hearth node list: the machines" -- status
mistake 2 "there is no command 'list' here" "hearth node list: the machines" -- list
mistake 2 "there is no command 'machine' here" "hearth node list" -- machine list
mistake 1 "alpha: " "Connection refused" "not asked any more, as nobody answers: dead, web" -- node manage alpha dead web --url http://127.0.0.1:9
for command in "show" "set --name x" "delete" "manage" "power on" "validate"; do
    # shellcheck disable=SC2086
    mistake 1 "'../alpha' is no node: names have letters" -- node $command ../alpha
done
mistake 2 "what is to be changed?" -- node set alpha
mistake 2 "which node?" -- node set --name x
mistake 2 "what is to be taken away?" -- node unset alpha
mistake 2 "this is no UTF-8 text: the value for /description" -- node set alpha --description $'x\xff'
ssh-keygen -q -t ed25519 -N "" -f own || fail "no SSH key"
openssl genpkey -algorithm ed25519 -out key.pem 2>/dev/null && openssl pkey -in key.pem -pubout -out key.pub || fail "no key"
for command in "set alpha" "role compute"; do
    # shellcheck disable=SC2086
    {
        mistake 1 "own:1: this is a private key" "ssh-keygen -t ed25519" -- node $command --ssh-key own
        mistake 1 "key.pem:1: this is a private key" -- node $command --ssh-key key.pem
        mistake 1 "key.pub:1: this is a public key of OpenSSL's" -- node $command --ssh-key key.pub
        mistake 1 "/bin/true:1: this is no public key" -- node $command --ssh-key /bin/true
        mistake 1 "/dev/null: there is no key in it" -- node $command --ssh-key /dev/null
        mistake 1 "/bin/true:1: this line is no UTF-8" -- node $command --user-data /bin/true
    }
done
mistake 0 "Changed node alpha" -- node set alpha --ssh-key own.pub --rack r1
mistake 0 "Changed profile compute" -- node role compute --ssh-key own.pub
mistake 0 "Changed node alpha" -- node unset alpha --extra x_seed
mistake 0 "Node alpha is out of service" -- node maintenance set alpha
mistake 0 "Node alpha is in service" -- node maintenance unset alpha
mistake 0 "Forgot all events but the newest 100" -- node events --keep 100
mistake 2 "'redfish_password=…' stands where a node's name is expected" "--driver-info redfish_password=…" -- node set alpha redfish_password=hush
! grep -q hush said || fail "node set: a password is told: $(cat said)"
mistake 1 "node dead has no redfish_adress in driver_info" "did you mean redfish_address?" -- node unset dead --driver-info redfish_adress
mistake 0 "redfish_password_file: there is no file /etc/hearth/nothere on this machine yet" -- node set dead --driver-info redfish_password_file=/etc/hearth/nothere
"$HEARTH" node unset dead --driver-info redfish_password_file
mistake 1 "the driver redfish of node dead has no serial console" "the BMC's own page" -- node console dead
printf '{"nodes": [\n{"name": "\xff", "pm_type": "fake-hardware"}]}' > bytes.json
mistake 1 'bytes.json:2: this line is no UTF-8' 'iconv -f' -- node import bytes.json
printf '{"nodes": [{"name": "a\\nb", "pm_type": "fake-hardware"}]}' > lines.json
mistake 1 'node #0 (a\nb): Name "a\nb" is invalid' -- node import lines.json
mistake 1 "dead is enroll, not manageable: " "Connection refused" "hearth node events dead" -- node manage dead
mistake 0 "| Reason" "Connection refused" -- node list
mistake 2 "there is no state 'actve'; did you mean 'active'?" -- node list --provision-state actve
mistake 2 "there is no driver 'redfsh'; did you mean 'redfish'?" -- node set alpha --driver redfsh
mistake 2 "there is no driver 'redfsh'; did you mean 'redfish'?" -- node drivers redfsh
mistake 2 "there is no driver 'redfsh'; did you mean 'redfish'?" -- node list --driver redfsh
mistake 0 "the driver redfish reads no redfish_adress; did you mean redfish_address?" -- node set dead --driver-info redfish_adress=x
mistake 1 "dead: " "Connection refused" "hearth why node dead" -- node power on dead
mistake 1 "dead: " "Connection refused" -- node reboot dead
mistake 1 "dead: " "hearth why node dead" -- node power on alpha dead
mistake 1 "Node alpa could not be found" "Did you mean alpha?" -- node events alpa
mistake 1 "Node alpa could not be found" "Did you mean alpha?" -- node log alpa
mistake 1 "Node alpa could not be found" "Did you mean alpha?" -- node maintenance set alpa
mistake 1 "Did you mean alpha?" -- incident alpa
mistake 1 'can not be performed on node "alpha"' "alpha is available already" "hearth node deploy|manage alpha" -- node provide alpha
mistake 1 "first hearth node manage alpha" -- node inspect alpha --wait 5
mistake 1 "alpha has no card 02:00:00:00:00:99; it has 02:00:00:00:00:01" -- node port delete alpha 02:00:00:00:00:99
mistake 2 "'eth0' is no MAC address: NODE MAC… is expected" -- node port delete alpha eth0
mistake 2 "which card of it (MAC)?" -- node port delete alpha
mistake 2 "root_device.sise is no hint (do you mean size?)" -- node set alpha --property 'root_device={"sise": ">= 200"}'
mistake 2 "no size: a number of GiB without a unit" -- node set alpha --property 'root_device={"size": ">= 200 GB"}'
mistake 1 "--deploy-ramdisk: 'deploy.initramf' is no registered image, no file here and no URL" "hearth image list" -- baremetal configure boot --deploy-kernel stack.yaml --deploy-ramdisk deploy.initramf
"$HEARTH" baremetal configure boot --deploy-kernel "$work/stack.yaml" --deploy-ramdisk "$work/stack.yaml" > said 2>&1 || fail "configure boot: $(cat said)"
"$HEARTH" baremetal configure boot --deploy-kernel stack.yaml --deploy-ramdisk stack.yaml > said 2>&1 || fail "configure boot: $(cat said)"
expect_text said " $work/stack.yaml and $work/stack.yaml for deployments"  # a file here, and no image's name
mistake 1 "there is no image bm-deploy-kernel, and nodes have another: alpha boots $work/stack.yaml" "nothing was changed" -- baremetal configure boot
mistake 1 "there is no image bm-deploy-ramdisk, and nodes have another: alpha boots $work/stack.yaml" "nothing was changed" -- baremetal configure boot --deploy-kernel stack.yaml
echo '{"nodes": [{"name": "alive", "pm_type": "fake-hardware", "mac": ["02:00:00:00:00:07"]}]}' > seven.json
"$HEARTH" node import seven.json > said 2>&1 || fail "an inventory of one: $(cat said)"
mistake 2 "which steps? --service-steps JSON|FILE" '"interface": "bios"' -- node service alpha
! grep -q '"step": "erase' said || fail "a step that erases is the example for a machine in use: $(cat said)"
mistake 2 "--service-steps: 'steps.json' is neither a file here nor JSON" -- node service alpha --service-steps steps.json
mistake 2 "no JSON: clean-steps:1:28: " -- node clean alpha --clean-steps '[{"interface": "raid" "step"}]'
mistake 2 "--driver-info: fake_fault broken is none of unreachable, refused, deaf" -- node set alpha --driver-info fake_fault=broken
mistake 0 "node alive: its management, as it was changed, does not do: " -- node set alive --driver-info fake_fault=refused
"$HEARTH" node set alive --driver-info fake_fault= > said 2>&1 || fail "node set: $(cat said)"
[ "$(cat said)" = "Changed node alive" ] || fail "a BMC that answers again: $(cat said)"
mistake 2 "deploy_callback_timeout 3m is no whole number" -- node set alpha --driver-info deploy_callback_timeout=3m
printf 'a,b\n' > table.csv
mistake 1 "table.csv:1: this is no user-data that a first boot reads" "#cloud-config" -- node set alpha --user-data table.csv
mistake 0 "Nothing was to be done at node alpha" -- node todo alpha --done
"$HEARTH" node set alpha --capability profile=compute > said 2>&1 || fail "a capability: $(cat said)"
"$HEARTH" node show alpha --json > said && grep -q 'profile:compute"' said || fail "--capability KEY=VALUE changes nothing: $(grep capab said)"
echo '#!/bin/sh' > program
mistake 0 "no node has the profile compue; did you mean compute?" -- node role compue --user-data program
mistake 0 "Node alpha is out of service" -- node maintenance set alpha --reason "its fan"
mistake 0 "Node alpha is out of service" -- node maintenance set alpha
"$HEARTH" node show alpha --json > said && grep -q '"its fan"' said || fail "the reason is forgotten: $(cat said)"
mistake 0 "warning: alpha is in maintenance (its fan)" "hearth node maintenance unset alpha" "alpha: power on" -- node power on alpha
mistake 0 "alpha: power off" -- node power off alpha
mistake 1 "can't be performed on node alpha because it's in maintenance" "hearth node maintenance unset alpha" -- node deploy alpha --wait 1
mistake 0 "Node alpha is in service" -- node maintenance unset alpha
mistake 0 "Its last order was refused, and it stayed available: deploy was refused: " -- why node alpha
mistake 0 "has no card 02:00:00:00:00:07 any more" "alive has no card left" -- node port delete alive 02:00:00:00:00:07
mistake 0 "There are no images for machines yet" "hearth image load" -- image list
mistake 1 "--token-file nothere.token: there is no such file" -- node list --url http://127.0.0.1:9 --token-file nothere.token
mistake 2 "did you mean '--name'?" -- node set alpha --nmae x
mistake 1 "'eth0' is no IP address" -- node serve --listen eth0 --port 0
mistake 2 "did you mean '--automated-clean'?" -- node serve --automated_clean
mistake 2 "--wait: 'soon' is no number of seconds" -- node deploy alpha --wait soon
mistake 1 "no image is named: hearth node deploy NODE --image IMAGE" -- node deploy alpha --wait 5
"$HEARTH" node list > said
expect_text said "| available "
mistake 1 "no conductor runs that could deploy a node" "hearth node serve" -- node deploy alpha
"$HEARTH" node manage alpha > said 2>&1 || fail "node manage: $(cat said)"
mistake 1 "Node alpha can't be adopted: what is on its disk is not known" "hearth node set alpha --instance-info image_source=IMAGE" -- node adopt alpha
"$HEARTH" node list > said
expect_text said "| manageable "
"$HEARTH" node provide alpha > said 2>&1 || fail "node provide: $(cat said)"
mistake 1 "nosuch: Node nosuch could not be found" "alpha: manage has begun" -- node manage nosuch alpha --no-wait
mistake 1 "nosuch: Node nosuch could not be found" "alpha is available" "hearth node events nosuch" -- node provide alpha nosuch
mistake 1 "127.0.0.1:9" "asking the conductor" "hearth node serve" -- node list --url http://127.0.0.1:9
printf 'heat_template_version: 2018-08-31\nresources: {}\n' > none.yaml
mistake 2 "--stacks-url is of a running seed" "--seed URL" -- deploy -t none.yaml --stacks-url http://127.0.0.1:9/v1/admin
mistake 2 "--boot is of services that this process runs" "hearth node serve" -- deploy -t none.yaml --seed http://127.0.0.1:9 --boot site.yaml
echo '{"nodes": [{"pm_type": "redfsh", "mac": ["02:00:00:00:00:02"]}, {"pm_type": "ipmi", "mac": ["02:00:00:00:00:02"]}]}' > bad.json
mistake 1 "bad.json:1:" "do you mean redfish?" "pm_addr" "is not unique" -- node import bad.json
# Backups
"$HEARTH" backup seed.backup > said 2>&1 || fail "backup: $(cat said)"
expect_text said "seed.backup: " " files of $work/nodes, " "iB"
"$HEARTH" backup seed.backup > said 2>&1 || fail "backup again: $(cat said)"
expect_text said "; the backup of 20" " UTC that was there is replaced"
mistake 2 "inventory.json is there, and is no backup of a seed: it is not overwritten" -- backup inventory.json
mistake 1 "inventory.json is no backup of a seed" "hearth backup makes one" -- restore inventory.json --state restored
mistake 1 "there is no backup" "/sede.backup" -- restore sede.backup --state restored
mv seed.backup kept.backup
# Where nobody says which, a state is made where services keep theirs, and that is told.
if unshare -rm true 2> /dev/null; then
    # shellcheck disable=SC2016
    env -u HEARTH_NODE_STATE unshare -rm sh -c 'mount -t tmpfs none /var/lib && "$0" node import "$1"; stat -c "%a %n" /var/lib/hearth /var/lib/hearth/node' "$HEARTH" "$PWD/fresh.json" > said 2>&1 || true
    expect_text said "nodes are kept in /var/lib/hearth/node, which is made now; --state DIR keeps them elsewhere" \
        "755 /var/lib/hearth" "700 /var/lib/hearth/node"  # who serves may be another user than root
else
    echo "SKIPPED: part: user namespaces are not allowed"
fi
# Whoever waits for an inspection is told for what.
"$HEARTH" node serve --state served --port 0 --rehearsal > serve.log 2>&1 &
server=$!
for ((try = 0; try < 600; try++)); do [ -S served/api.socket ] && break; sleep 0.1; done
echo '{"nodes": [{"name": "asked", "pm_type": "fake_pxe", "mac": ["02:00:00:00:00:07"]}]}' > asked.json
"$HEARTH" node import asked.json --state served > said 2>&1 || fail "node import: $(cat said)"
mistake 2 "--wait and --no-wait exclude each other" -- baremetal introspection bulk start --wait 3 --no-wait --state served
mistake 1 "not inspected in 3 s: asked (inspect wait" -- baremetal introspection bulk start --wait 3 --state served
expect_text said "not available until their inspection is done: asked"
expect_text said "asked waits for a person: Switch node asked"
expect_text said "waiting for asked (inspect wait, await data; a person is to switch it: hearth node todo; until "
for _ in 1 2; do  # showing confirms nothing
    mistake 0 "Switch node asked" "hearth node todo asked --done" -- node todo asked --state served
done
mistake 2 "--done: at which node?" -- node todo --done --state served
"$HEARTH" baremetal introspection bulk status --state served > said 2>&1 || fail "bulk status: $(cat said)"
expect_text said "| asked | False    | None  |"
"$HEARTH" node abort asked --state served > said 2>&1 || fail "node abort: $(cat said)"
timeout 20 "$HEARTH" baremetal introspection bulk start --no-wait --state served > said 2>&1 || fail "--no-wait: $(cat said)"
expect_text said "how they stand: hearth baremetal introspection bulk status"
mistake 1 "while it is in provision state" "hearth node undeploy asked takes it out of use" -- node delete asked --state served
# A deployment that is refused leaves nothing of its image.
"$HEARTH" node maintenance set asked --state served > said 2>&1 || fail "node maintenance: $(cat said)"
zeros=$(printf '%064d' 0)
mistake 1 "because it's in maintenance mode" -- node deploy asked --image http://192.0.2.1/refused.raw --sha256 "$zeros" --state served
mistake 2 "--config-drive: '{bad' is no JSON" -- node deploy asked --image http://192.0.2.1/refused.raw --sha256 "$zeros" --config-drive '{bad' --state served
mistake 2 "--config-drive: 'nothere.iso' is neither a file here nor JSON, nor a config drive's URL or base64" -- node deploy asked --image http://192.0.2.1/refused.raw --sha256 "$zeros" --config-drive nothere.iso --state served
mistake 2 "--sha256 00: 64 hexadecimal digits are expected" -- node deploy asked --image http://192.0.2.1/refused.raw --sha256 00 --state served
echo '{"nodes": [{"name": "named", "pm_type": "fake-hardware", "mac": ["02:00:00:00:00:13"]}]}' > named.json
"$HEARTH" node import named.json --state served > said 2>&1 || fail "node import: $(cat said)"
mistake 0 "without a config drive named keeps the host name of the image; --config-drive '{}' gives it its node's name" -- node deploy named \
    --image http://192.0.2.1/refused.raw --sha256 "$zeros" --state served
"$HEARTH" node show asked --state served > said 2>&1 || fail "node show: $(cat said)"
! grep -q "refused.raw" said || fail "what was refused is the node's image: $(cat said)"
# A console whose BMC gives no session says why.
echo '{"nodes": [{"name": "mute", "pm_type": "ipmi", "pm_addr": "127.0.0.1", "pm_user": "u", "pm_password": "p", "mac": ["02:00:00:00:00:08"]}]}' > mute.json
"$HEARTH" node import mute.json --initial-state enroll --state served > said 2>&1 || fail "node import: $(cat said)"
"$HEARTH" node set mute --console-interface ipmitool-socat --driver-info ipmi_timeout=1 --driver-info ipmi_retries=1 --state served > said 2>&1 ||
    fail "node set: $(cat said)"
! timeout 20 "$HEARTH" node console mute --enable --state served > said 2>&1 || fail "a console without a session is on: $(cat said)"
expect_text said "the console of node mute is on, but has no session with its BMC: " "hearth node console mute --disable"
mistake 1 "has no session with its BMC: " -- node console mute --state served
# Nor is it silent where two machines stand in one place.
printf 'name,pm_type,mac,rack,slot\nu1,fake_pxe,02:00:00:00:00:11,C,10\nu2,fake_pxe,02:00:00:00:00:12,C,10\n' > places.csv
"$HEARTH" node import places.csv --dry-run --state served > said 2>&1 || fail "node import: $(cat said)"
expect_text said "warning: node #1 (u2), line 3: it stands where node #0 (u1) does: rack C, slot 10"
# Whoever ends a wait is told that the work goes on, and how to end that.
echo '{"nodes": [{"name": "looked", "pm_type": "fake_pxe", "mac": ["02:00:00:00:00:09"]}]}' > looked.json
"$HEARTH" node import looked.json --initial-state manageable --state served > said 2>&1 || fail "node import: $(cat said)"
timeout -s INT 3 "$HEARTH" node inspect looked --wait 100 --state served > said 2>&1 || true
expect_text said "the wait for looked was ended; what has begun goes on" "hearth node abort looked ends it"
kill "$server"
wait "$server" || true
expect_text serve.log "status page and API: http://127.0.0.1:" "all is kept in served" "without --boot SITE no machine is booted"

# Backups
mistake 1 "there is no $work/nowhere for $work/nowhere/a/b" "mistyped" -- restore --state "$work/nowhere/a/b" kept.backup
mkdir locked && : > locked/lock
mistake 1 "text.txt" -- restore --state locked text.txt
! grep -q "is not empty" said || fail "a lock alone is taken for a state: $(cat said)"
mistake 1 "no handover was begun: the folder $work/handover has no record of one" "--journal DIR" -- seed handover --back

# Sites
printf 'network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.100-192.0.2.199}\nmachines: [{name: a}]\n' > rehearsed.yaml
for file in deploy.kernel deploy.initramfs node.qcow2; do echo x > "$file"; done
printf 'deploy: {kernel: deploy.kernel, ramdisk: deploy.initramfs}\nimage: node.qcow2\nstack: {template: stack.yaml}\n' >> rehearsed.yaml
printf 'network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.100-192.0.2.199}\nmachines:\n  - {name: a, address: 198.51.100.7}\n' > site.yaml
mistake 1 "site.yaml:3: machines[0].address: 198.51.100.7 is not in 192.0.2.0/24" -- site check site.yaml
sed 's/100-192.0.2.199/199-192.0.2.100/' rehearsed.yaml > turned.yaml
mistake 1 "turned.yaml:1: network.pool: '192.0.2.199-192.0.2.100' has its last address before its first" -- site check turned.yaml
printf '{"interfaces": ["lo"], "networks": [{"subnet": "192.0.2.0/24", "server": "192.0.2.1"}], "state_dir": "%s"}' "$work/none" > boot.json
mistake 1 "has kept what machines ask" "hearth node boot-log NODE" -- pxe boot-log boot.json 52:54:00:aa:01:01
mistake 1 "machines[0].address: 198.51.100.7 is not in 192.0.2.0/24" -- rehearse site.yaml
echo 'inventory: instackenv.json' >> site.yaml
mistake 1 "site.yaml:4: unknown key 'inventory'" "--inventory FILE" -- site check site.yaml
printf 'network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.100-192.0.2.199}\nimage: nothere.qcow2\n' > site.yaml
mistake 1 "image: there is no $work/nothere.qcow2; made by: hearth image create -o nothere vm debian-minimal" "deploy.kernel: the site file names none" -- site check site.yaml
printf 'network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.100-192.0.2.199}\ndeploy: {kernel: deploy.kernel, ramdisk: deploy.initramfs}\nimage: node.qcow2\n' > alone.yaml
mistake 0 "0 machines in 192.0.2.0/24, seed 192.0.2.1: nothing is wrong" -- site check alone.yaml  # its machines can be deployed one by one
expect_text said "no stack.template: a rehearsal inspects the machines, writes the image to each" "hearth help three-machines"
mistake 1 "machines: the site file lists none" -- rehearse alone.yaml
! grep -q "template" said || fail "a rehearsal asks for a template that nobody wants: $(cat said)"
: > node.qcow2
mistake 1 "image: $work/node.qcow2 is empty; made by: hearth image create -o node vm debian-minimal" -- site check alone.yaml
echo x > node.qcow2
echo 'machines: [{name: a, disk: 2}]' >> alone.yaml
mistake 0 "warning: machine a: a disk of 2 GiB is less than the 4" "nothing is wrong" -- site check alone.yaml
mistake 1 "network.interface: is missing" "interface: eth1" -- node serve --boot site.yaml
mistake 2 "'site.yaml' is one word too many" "A site file is named by --boot SITE" -- node serve site.yaml
mistake 1 "inventory.json is an inventory of machines, and no site file" "hearth site new site.yaml --inventory inventory.json" -- node serve --boot inventory.json --state served
! grep -q "unknown key" said || fail "an inventory is read as a site file: $(cat said)"
printf 'network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.100-192.0.2.199}\nmachines:\n- name: a\n  bmc: {type: redfsh}\n' > site.yaml
mistake 1 "site.yaml:4: machines[0]: unknown bmc.type" "do you mean redfish?" -- site check site.yaml
mistake 1 "site.yaml:4:" "do you mean redfish?" -- node import site.yaml
printf 'network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.100-192.0.2.199, interface: eth1}\nmachines:\n- {name: control1, mac: "52:54:00:00:00:01"}\n' > named.yaml
mistake 2 "'contrl1' is no MAC address, nor a machine of named.yaml that has one" "Did you mean control1?" -- pxe explain named.yaml contrl1
mistake 1 "site.yaml is there already" "--force" -- site new site.yaml --no-questions --subnet 192.0.2.0/24
mistake 2 "options are missing" "--subnet 192.0.2.0/24" -- site new new.yaml --no-questions
printf 'w1 ipmi_address=192.0.2.31 ipmi_username=u ipmi_password=p mac=52:54:00:00:00:31\ndeployhost ansible_connection=local\n' > hosts.ini
"$HEARTH" site new hosts.yaml --no-questions --subnet 192.0.2.0/24 --inventory hosts.ini > out 2>&1 || fail "site new of an inventory: $(cat out)"
expect_text out "left out, as nothing here uses it: host deployhost"
printf 'w2 ipmi_address=192.0.2.32 ipmi_username=u ipmi_password=p mac=52:54:00:00:00:32\n' > more.ini
"$HEARTH" site new both.yaml --no-questions --subnet 192.0.2.0/24 --inventory hosts.ini --inventory more.ini > out 2>&1 || fail "site new of two inventories: $(cat out)"
expect_text out "both.yaml: 2 machines"
printf 'w1 ipmi_address=192.0.2.33 ipmi_username=u ipmi_password=p mac=52:54:00:00:00:33\n' > more.ini
mistake 1 "nothing is written: the name w1 is in hosts.ini and in more.ini" -- site new new.yaml --no-questions --subnet 192.0.2.0/24 --inventory hosts.ini --inventory more.ini
printf '{"nodes": [{"name": "old_1", "pm_type": "manual-management", "mac": ["02:00:00:00:00:08"]}]}' > under.json
mistake 1 "under.json:1:21: node #0 (old_1): name 'old_1': letters, digits and '-' are expected" -- site new new.yaml --ask --inventory under.json
! grep -q "provisioning network" said || fail "questions are asked for an inventory that can't be taken: $(cat said)"
mistake 2 "a BMC has no key 'usr'; did you mean user?" "nothing is written" -- site new new.yaml --no-questions --subnet 192.0.2.0/24 \
    --bmc type=redfish,usr=admin,password=secret
mistake 2 "there is no type 'redfsh' of BMC; did you mean redfish?" -- site new new.yaml --no-questions --subnet 192.0.2.0/24 \
    --bmc type=redfsh,user=admin
[ ! -e new.yaml ] || fail "a site file was written in spite of a wrong key"
mistake 2 "there is no key 'mca'; did you mean mac?" -- site new new.yaml --no-questions --subnet 192.0.2.0/24 --machine name=a,mca=x
mistake 1 "nothing is written: the file would be wrong" "'198.51.100.1' is no address in 192.0.2.0/24" -- \
    site new new.yaml --no-questions --subnet 192.0.2.0/24 --seed 198.51.100.1
mistake 2 "nothing is written" "the answers ended" -- site new new.yaml --ask
mistake 2 "KEY=VALUE is expected, not 'q'" "a comma within a value" -- site new new.yaml --no-questions --subnet 192.0.2.0/24 --bmc type=redfish,password=p,q
mistake 1 "nothing is written" "holds the seed's own address" -- site new new.yaml --no-questions --subnet 192.0.2.0/24 --pool 192.0.2.1-192.0.2.50
"$HEARTH" site new hall.yaml --no-questions --subnet 192.0.2.0/24 --interface eth77 --machine name=a > out 2>&1 || fail "site new: $(cat out)"
expect_text out "nothing is said of how a boot: by Redfish as their BMCs have it" "this machine has no card eth77"
sed '$aseed: {image: seed.qcow2}' rehearsed.yaml > of_seed.yaml
mistake 1 "seed.qcow2.token" "one that hearth node serve runs is named: --url" -- seed takeover of_seed.yaml alpha --check
mistake 2 "--token-file is needed beside --url" -- seed takeover of_seed.yaml alpha --check --url http://127.0.0.1:9
mistake 2 "--page x: a port is expected" -- rehearse rehearsed.yaml --page x
mistake 2 "did you mean wrong-mac?" -- rehearse rehearsed.yaml --inject wrong-mca:a
mistake 2 "--shell and --console are two commands" -- rehearse rehearsed.yaml --shell a --console a
mistake 1 "no rehearsal runs in $work/rehearsed.rehearsal" -- rehearse rehearsed.yaml --shell a
mistake 2 "--connect a: MACHINE:PORT is expected" -- rehearse rehearsed.yaml --connect a
mistake 1 "This conductor boots no machines itself" -- node boot-log alpha
! grep -q "Did you mean" said || fail "node boot-log: a node that is there is taken for a mistyped one: $(cat said)"
mistake 2 "name one node" "hearth pxe boot-log SITE MAC" -- node boot-log site.json 02:00:00:00:00:01
mistake 2 "--keep wants a whole number of GiB, up to 1073741824" -- cache prune --keep 17179869184
mistake 2 "--unused-for wants a whole number of days, up to 36500" -- cache prune --unused-for 36501
mistake 1 "there is no bundle $work/nothere.bundle" -- bundle verify nothere.bundle
mistake 1 "there is no backup $work/nothere.backup" "hearth backup makes one" -- restore nothere.backup
mkdir older newer place
for made in older:1000 newer:2000; do
    SOURCE_DATE_EPOCH=${made#*:} "$HEARTH" bundle create -o "${made%:*}/site.bundle" --site inventory.json --without-hearth > said 2>&1
done
mistake 2 "say --unsigned" -- bundle unpack newer/site.bundle -C place/it
"$HEARTH" bundle unpack newer/site.bundle -C place/it --unsigned > said 2>&1 || fail "a bundle can't be unpacked: $(cat said)"
mistake 1 "a newer bundle site was unpacked here before" "--older unpacks it" -- bundle unpack older/site.bundle -C place/more --unsigned
"$HEARTH" bundle unpack older/site.bundle -C place/more --unsigned --older > said 2>&1 || fail "not even with --older: $(cat said)"
# Who is taken out of the file people is shut out at once; a line that is wrong shuts nobody out.
mkdir -m 700 held
token=$(printf '%064d' 7)
echo "$token" > bert.token
echo "bert read $token" > held/people
chmod 600 held/people
"$HEARTH" node serve --state held --port 0 > held.out 2> held.log &
server=$!
trap 'kill $server 2> /dev/null || true; remove_work' EXIT
for _ in $(seq 600); do [ -s held/endpoint ] && break; sleep 0.1; done
by_bert() { "$HEARTH" node list --url "$(cat held/endpoint)" --token-file bert.token > said 2>&1; }
by_bert || fail "node serve: bert is not let in: $(cat said held.log)"
echo "bert raed $token" > held/people
for _ in $(seq 600); do grep -q 'whoever was let in before still is' held.log && break; sleep 0.1; done
expect_text held.log "whoever was let in before still is: " "held/people:1: "
by_bert || fail "node serve: a line that is wrong shuts people out: $(cat said)"
: > held/people
for _ in $(seq 300); do by_bert || break; sleep 0.1; done
! by_bert || fail "node serve: who was taken out of people is still let in"
kill $server
wait $server || true

finish
