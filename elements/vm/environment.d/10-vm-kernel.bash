export DIB_KERNEL_PACKAGE=${DIB_KERNEL_PACKAGE:-linux-image-cloud-amd64}
