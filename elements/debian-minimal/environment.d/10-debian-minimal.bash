# Sourced by bash before every phase, on the host and in the target. What the host's apt says is asked for only where
# hooks bootstrap the tree; later phases inherit nothing from here that would need it.
export DISTRO_NAME=debian
export DIB_INIT_SYSTEM=systemd
export DIB_DEBIAN_COMPONENTS=${DIB_DEBIAN_COMPONENTS:-main}
if [ -z "${DIB_RELEASE:-}" ]; then
    DIB_RELEASE=$(. /etc/os-release && [ "$ID" = debian ] && echo "${VERSION_CODENAME:-stable}" || echo stable)
fi
export DIB_RELEASE
