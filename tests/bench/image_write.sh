#!/bin/bash
# How long one QEMU machine (TCG, two processors, virtio disk) takes from the first request to a disk that is durable and,
# but for the pipeline, verified:
#   ours      hearth-agent write-image, of a frames file; ours-qcow2: of qcow2, with its sha256
#   pipeline  curl | zstd -dc | dd conv=sparse oflag=direct
#   ipa       as ironic-python-agent does it: the whole qcow2 into memory, sha256sum, qemu-img convert -t directsync -W
# usage: image_write.sh HEARTH HEARTH_AGENT KERNEL TREE [MIB [ROUNDS]]
# TREE is what bin/deploy-ramdisk-tree of the element deploy-ramdisk made (that program's second operand), KERNEL the kernel
# beside it. MIB is the data in the image (200); its disk is four times as large. Targets: a quarter of pipeline's time,
# half of ipa's.
set -eu
set -o pipefail

hearth=$(realpath "$1") agent=$(realpath "$2") kernel=$(realpath "$3") ramdisk_tree=$(realpath "$4")
mib=${5:-200} rounds=${6:-1}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d /dev/shm/image-write.XXXXXX)
trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
server=

make_image() {
    truncate -s $((mib * 4))M "$work/files/i.raw"
    tar -C /usr/lib -cf - . 2>/dev/null | head -c "${mib}M" >"$work/data" || true
    local at=1
    while [ $((at - 1)) -lt "$mib" ]; do
        dd if="$work/data" of="$work/files/i.raw" bs=1M skip=$((at - 1)) seek=$((at * 4 - 3)) count=8 conv=notrunc status=none
        at=$((at + 8))
    done
    rm "$work/data"
    echo 'label: gpt
start=1MiB, type=linux' | /sbin/sfdisk -q --no-tell-kernel --force "$work/files/i.raw"
    "$hearth" image publish "$work/files/i.raw" "$work/files/i.frames" >&2
    zstd -q -6 -T0 "$work/files/i.raw" -o "$work/files/i.raw.zst"
    qemu-img convert -c -o compression_type=zstd -f raw -O qcow2 "$work/files/i.raw" "$work/files/i.qcow2"
}

# put PROGRAM…: into the ramdisk, with the libraries that they load.
put() {
    local program file
    for program in "$@"; do
        install -D "$(command -v "$program")" "$work/tree/bin/${program##*/}"
        for file in $(ldd "$(command -v "$program")" | grep -o '/[^ ]*'); do
            [ -e "$work/tree$file" ] || install -D "$(realpath "$file")" "$work/tree$file"
        done
    done
}

make_ramdisk() {
    cp -a "$ramdisk_tree" "$work/tree"
    rm "$work/tree/init"
    install -m 0755 "$agent" "$work/tree/sbin/hearth-agent"
    ln -sf hearth-agent "$work/tree/sbin/modprobe"
    put /bin/dash /bin/mount /sbin/ip /usr/bin/curl /usr/bin/zstd /bin/dd /usr/bin/qemu-img /usr/bin/sha256sum /bin/date /bin/sync \
        /bin/rm /sbin/blkdiscard /bin/sleep /bin/cat
    ln -s dash "$work/tree/bin/sh"
    local root sum
    root=$(sed -n 's/.*"os_hash_value": "\(.*\)".*/\1/p' "$work/files/i.frames.json")
    sum=$(sha256sum "$work/files/i.qcow2" | cut -d' ' -f1)
    cat >"$work/tree/init" <<END
#!/bin/sh
export PATH=/bin:/sbin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
for m in virtio_pci virtio_net virtio_blk; do modprobe \$m; done
sleep 1
ip link set lo up; ip link set eth0 up; ip address add 192.0.2.15/24 dev eth0
url=http://192.0.2.2:$port/files
now() { date +%s.%N; }
run() { blkdiscard -f /dev/vda; sync; echo START; sleep 1; a=\$(now); eval "\$2" >/tmp/log 2>&1; code=\$?; sync; echo "RESULT \$1 \$a \$(now) \$code"; [ \$code = 0 ] || cat /tmp/log; }
for round in $(seq -s' ' "$rounds"); do
run ours "hearth-agent write-image \$url/i.frames /dev/vda frames:$root"
run ours-qcow2 "hearth-agent write-image \$url/i.qcow2 /dev/vda $sum"
run pipeline "curl -sf \$url/i.raw.zst | zstd -dc | dd of=/dev/vda bs=4M iflag=fullblock conv=sparse oflag=direct"
run ipa "curl -sf -o /tmp/i.qcow2 \$url/i.qcow2 && sha256sum /tmp/i.qcow2 && qemu-img convert -t directsync -W -f qcow2 -O host_device /tmp/i.qcow2 /dev/vda; rm -f /tmp/i.qcow2"
done
echo FINISHED
sleep 600
END
    chmod +x "$work/tree/init"
    (cd "$work/tree" && find . | cpio -o -H newc --quiet) | zstd -q -3 -o "$work/initrd"
}

# serve: prints the port, then serves.
serve() {
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/../e2e/deploy /usr/bin/python3 -c '
import conductor, sys, time
print(conductor.Conductor(sys.argv[1]).port, flush=True)
time.sleep(1e6)' "$work/files" >"$work/port" &
    server=$!
    until [ -s "$work/port" ]; do sleep 0.1; done
    port=$(cat "$work/port")
}

mkdir "$work/files"
make_image
serve
make_ramdisk
truncate -s $((mib * 5))M "$work/disk"
qemu-system-x86_64 -accel tcg -m 3072 -smp 2 -display none -monitor none -serial stdio -kernel "$kernel" -initrd "$work/initrd" \
    -append 'console=ttyS0 quiet no_timer_check' -netdev user,id=n,net=192.0.2.0/24,host=192.0.2.2 -device virtio-net-pci,netdev=n,romfile= \
    -drive "if=none,id=d,format=raw,discard=unmap,file=$work/disk" -device virtio-blk-pci,drive=d </dev/null >"$work/console" &
qemu=$!
trap 'kill $server $qemu 2>/dev/null || true; rm -rf "$work"' EXIT
# What the emulated machine has cost so far, in seconds of this one's processors: says more than time where others use them.
cost() {
    awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); printf "%.2f\n", ($12 + $13) / hz }' /proc/$qemu/stat
}
seen=0
for _ in $(seq 5400); do
    now=$(grep -c -e RESULT -e '^START' "$work/console" || true)
    for _ in $(seq $((now - seen))); do cost; done >>"$work/costs"
    seen=$now
    ! grep -q FINISHED "$work/console" || break
    kill -0 $qemu || { tail -n 20 "$work/console"; exit 1; }
    sleep 0.3
done
tr -d '\r' <"$work/console" | grep -v -e RESULT -e START | tail -n 5 >&2
tr -d '\r' <"$work/console" | grep -e RESULT -e '^START' | paste -d' ' - "$work/costs" | awk '
    $1 == "START" { before = $2; next }
    { cpu = $NF - before; printf "%-11s %7.2f s %7.2f s of processors%s\n", $2, $4 - $3, cpu, $5 ? "  FAILED" : ""
      sum[$2] += $4 - $3; cost[$2] += cpu }
    END { if (sum["pipeline"] && sum["ipa"]) {
            printf "ours/pipeline %.2f (target 0.25), ours/ipa %.2f (target 0.50), ours-qcow2/ipa %.2f\n",
              sum["ours"] / sum["pipeline"], sum["ours"] / sum["ipa"], sum["ours-qcow2"] / sum["ipa"]
            printf "processors: ours/pipeline %.2f, ours/ipa %.2f, ours-qcow2/ipa %.2f\n",
              cost["ours"] / cost["pipeline"], cost["ours"] / cost["ipa"], cost["ours-qcow2"] / cost["ipa"] } }'
