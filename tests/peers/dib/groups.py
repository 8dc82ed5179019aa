"""What of diskimage-builder's elements is built side by side, in which company, and what is left out and why.

A group is one build. `with`: elements of the group that the others need, also when each is built alone. `long`: it is built where
HEARTH_LONG is set.
"""
OS = ("peer-os",)

GROUPS = {
    # What most images are made of: users, services, first boot, apt's files.
    "users and services": {
        "elements": [*OS, "apt-conf", "apt-preferences", "apt-sources", "base", "devuser", "dib-init-system", "dib-python",
                     "disable-nouveau", "disable-selinux", "dpkg", "dynamic-login", "element-manifest",
                     "enable-serial-console", "epel", "growroot", "install-bin", "install-static", "install-types",
                     "journal-to-console", "local-config", "manifests", "modprobe", "openssh-server",
                     "openstack-ci-mirrors", "package-installs", "pkg-map", "runtime-ssh-host-keys", "selinux-permissive",
                     "svc-map", "sysctl", "sysprep"],
        "environment": {"DIB_DEV_USER_PWDLESS_SUDO": "yes", "DIB_DEV_USER_PASSWORD": "secret",
                        "DIB_APT_CONF": "{here}/data/apt.conf"},
        "with": OS,
    },
    # Kernels and ramdisks as files beside the image; what only ramdisk builds would use; a hook that another's collides with.
    "kernels and ramdisks": {
        "elements": [*OS, "peer-kernel", "baremetal", "cleanup-kernel-initrd", "deploy-baremetal", "dracut-network",
                     "hwburnin", "ilo", "modprobe-blacklist", "no-final-image",
                     "select-boot-kernel-initrd", "uboot"],
        "environment": {"DIB_MODPROBE_BLACKLIST": "floppy"},
        "with": (*OS, "peer-kernel"),
    },
    # First boot in a cloud; networks, disks and hardware; what is fetched: git, tar and file sources, caches, Python's package index.
    "clouds, networks and sources": {
        "elements": [*OS, "cloud-init", "cloud-init-datasources", "cloud-init-disable-resizefs", "cloud-init-nocloud", "ensure-venv",
                     "dhcp-all-interfaces", "dkms", "grub2", "growvols", "hwdiscovery", "ibft-interfaces",
                     "peer-sources", "cache-url", "pip-and-virtualenv", "pip-cache", "pypi", "source-repositories"],
        "environment": {"DIB_CLOUD_INIT_DATASOURCES": "NoCloud", "DIB_NO_PYPI_PIP": "1",
                        "DIB_INSTALLTYPE_pip_and_virtualenv": "package"},
        "with": (*OS, "cloud-init"),
        "long": True,
    },
    # From nothing to a disk with a boot loader: upstream's own bootstrap. Five minutes with each builder.
    "debian on a disk": {
        "elements": ["debian", "debian-minimal", "debootstrap", "vm", "block-device-mbr", "bootloader", "peer-few-modules"],
        "with": ("debian-minimal", "vm", "block-device-mbr", "peer-few-modules"),
        "long": True,
    },
    "disk with GPT": {
        "elements": [*OS, "peer-linux", "vm", "block-device-gpt", "bootloader", "iscsi-boot"],
        "with": (*OS, "peer-linux", "vm", "block-device-gpt"),
        "initramfs": 2,  # iscsi-boot's own hook makes the second
        "long": True,
    },
}

RPM = "builds Fedora, CentOS and their like; needs their mirrors"
UBUNTU = "builds Ubuntu; needs its mirrors"
SUSE = "builds openSUSE; needs its mirrors"
PYPI = "fetches from PyPI"
GITHUB = "fetches its sources from the Internet"

LEFT_OUT = {
    "block-device-efi": "upstream mounts the FAT partition, which the test machines' kernels can't; ours: e2e.boot_efi",
    "block-device-efi-lvm": "needs device-mapper, and a FAT file system that is mounted",
    "centos": RPM, "centos-minimal": RPM, "centos7": RPM, "fedora": RPM, "fedora-container": RPM, "fedora-minimal": RPM,
    "redhat-common": RPM, "rhel": RPM, "rhel-common": RPM, "rhel7": RPM, "rpm-distro": RPM, "yum": RPM, "yum-minimal": RPM,
    "oat-client": "its packages are Fedora's only",
    "tpm-emulator": RPM + "; its packages are named as there only",
    "ubuntu": UBUNTU, "ubuntu-common": UBUNTU + "; its hooks belong to them", "ubuntu-minimal": UBUNTU,
    "ubuntu-signed": UBUNTU, "ubuntu-systemd-container": UBUNTU, "lvm": UBUNTU + "; depends on ubuntu-minimal",
    "opensuse": SUSE, "opensuse-minimal": SUSE, "zypper": SUSE, "zypper-minimal": SUSE,
    "gentoo": "builds Gentoo; needs its mirrors",
    "containerfile": "needs podman and a container registry",
    "docker": "needs docker and a container registry",
    "debian-systemd": "fails with upstream's builder: expands a variable that nothing sets",
    "debian-upstart": "Debian 12 has no upstart",
    "deploy-kexec": "depends on an element that does not exist",
    "deploy-targetcli": "Debian 12 has no package targetcli",
    "deploy-tgtadm": "part of ramdisk builds only, which fail with upstream's builder",
    "dib-run-parts": "Debian 12 has no package dib-utils",
    "dracut-ramdisk": "fails with upstream's builder: ramdisk builds are broken there",
    "dracut-regenerate": "needs Fedora's dracut configuration and kernels",
    "hpdsa": "Ubuntu's kernels only",
    "iso": "upstream mounts a FAT image through a loop device, which the test machines' kernels can't",
    "keylime-agent": GITHUB,
    "mellanox": "Debian 12 has no packages of these names",
    "posix": "a few hundred MB of packages with nothing but a list of names; package-installs is compared elsewhere",
    "proliant-tools": PYPI, "python-brickclient": PYPI, "simple-init": PYPI,
    "python-stow-versions": GITHUB, "rax-nova-agent": GITHUB,
    "ramdisk-base": "part of ramdisk builds only, which fail with upstream's builder",
    "ramdisk": "fails with upstream's builder: ramdisk builds are broken there",
    "stable-interface-names": "Debian 12 has no package biosdevname",
    "zipl": "s390x only",
}

if __name__ == "__main__":
    print("\n".join(name + ("|long" if group.get("long") else "") for name, group in GROUPS.items()))
