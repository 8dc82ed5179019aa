export DISTRO_NAME=ubuntu
export DIB_INIT_SYSTEM=systemd
export DIB_RELEASE=${DIB_RELEASE:-noble}
export DIB_DEBIAN_COMPONENTS=${DIB_DEBIAN_COMPONENTS:-main,universe}
export DIB_UBUNTU_MIRROR_DISTS=${DIB_UBUNTU_MIRROR_DISTS-updates,security}
export DIB_UBUNTU_KERNEL=${DIB_UBUNTU_KERNEL:-linux-image-generic}
export DIB_KERNEL_PACKAGE=none  # Debian's kernels, for which vm would ask
export EFI_BOOT_DIR=EFI/ubuntu
if [ -z "${DIB_DISTRIBUTION_MIRROR:-}" ] && [ "$(. /etc/os-release && echo "${ID:-}")" != ubuntu ]; then
    echo "ERROR: Ubuntu's packages are not where this machine's own come from; set DIB_DISTRIBUTION_MIRROR to a mirror of Ubuntu"
    exit 1
fi
