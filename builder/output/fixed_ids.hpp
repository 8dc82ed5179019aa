// qemu-img puts random ids and the time into some formats. Here they are replaced by ids that follow from the file's
// contents, so that equal disks give equal bytes and different disks different ids. Sources: Microsoft, "Virtual Hard
// Disk Image Format Specification" 1.0 and "VHDX Format Specification" 1.00 [MS-VHDX]; VMware, "Virtual Disk Format"
// 5.0; the VDI header as VirtualBox writes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/sys/fd.hpp"

namespace hearth::builder {

/// `format` is qemu-img's name: vpc, vhdx, vdi, vmdk; others have nothing random and stay as they are. `file` is open
/// for reading and writing, and will be called `name`; `epoch` becomes the time of creation where the format has one.
/// Throws Error(input) when the file is not of that format.
void fix_disk_ids(const Fd& file, std::string_view format, const std::string& name, std::int64_t epoch);

}  // namespace hearth::builder
