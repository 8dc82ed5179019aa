# Tells the bootloader and vm elements which layout this is.
case "${ARCH:-}" in
  ppc64*)
    echo "block-device-efi is not supported on PowerPC, which has no EFI" >&2
    exit 1
    ;;
esac
export DIB_BLOCK_DEVICE="efi"
