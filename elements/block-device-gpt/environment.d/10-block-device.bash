# Tells the bootloader and vm elements which layout this is.
export DIB_BLOCK_DEVICE="gpt"
