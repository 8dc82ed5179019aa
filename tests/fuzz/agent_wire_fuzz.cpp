// What else strangers tell the deploy ramdisk: LLDP frames of switches, the conductor's answers and orders, boot
// entries and lists of loaders on disks, lists of checksums. The first byte chooses.
#include "agent/deploy/boot/efi_variables.hpp"
#include "agent/deploy/hardware/disks.hpp"
#include "agent/deploy/hardware/lldp.hpp"
#include "agent/deploy/image/image_info.hpp"
#include "agent/deploy/protocol/conductor.hpp"
#include "base/error.hpp"
#include "tests/fuzz/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hearth::agent::deploy;
  if (size == 0) return 0;
  const std::string_view text = hearth::fuzz::text_of(data + 1, size - 1);
  try {
    switch (data[0] % 6) {
      case 0: (void)parse_lldp(text); break;
      case 1: (void)parse_lookup(text); break;
      case 2:
        if (const auto info = hearth::parse_json(text, "fuzz")) (void)parse_image_info(*info);
        break;
      case 3: (void)parse_boot_csv(text); break;
      case 4: (void)label_of_load_option(text); break;
      default:
        (void)find_checksum(text, "image.raw");
        (void)serial_of_page_80(text);
        (void)api_version(text, 82);
    }
  } catch (const hearth::Error&) {
    return 0;
  }
  return 0;
}
