# Tells the bootloader and vm elements which layout this is.
case "${ARCH:-}" in
  arm64 | aarch64)
    echo "block-device-gpt is not supported on AARCH64; use block-device-efi" >&2
    exit 1
    ;;
esac
export DIB_BLOCK_DEVICE="gpt"
