// What blkid and /proc/mounts say.
#include "agent/collect/config_drive.hpp"
#include "tests/fuzz/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = hearth::fuzz::text_of(data, size);
  const std::optional<std::string> device = hearth::agent::config_drive_device(text);
  hearth::fuzz::check(!device || !device->empty());
  (void)hearth::agent::mount_point_of("/dev/sr0", text);
  return 0;
}
