// The first bytes of a disk, as an image or a machine's past has left them: partition tables of both kinds and file
// systems. A table that is read can be changed and read again.
#include "agent/deploy/disk/file_system.hpp"
#include "agent/deploy/disk/gpt.hpp"
#include "agent/deploy/image/write_image.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;

namespace {

void change_table(std::string_view front, std::uint32_t sector) {
  using namespace hearth::agent::deploy;
  std::optional<Gpt> gpt = Gpt::parse(front, sector);
  if (!gpt) return;
  (void)gpt->entries();
  gpt->grow(std::uint64_t{1} << 24U);
  (void)gpt->add_last(2048, 2048, k_linux_type, k_esp_type, "config-2");
  const Gpt::Image image = gpt->encode();
  std::string disk(front.substr(0, sector));
  disk.resize(sector);
  disk += image.primary;
  check(Gpt::parse(disk, sector).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hearth::agent::deploy;
  const std::string_view front = hearth::fuzz::text_of(data, size);
  change_table(front, 512);
  change_table(front, 4096);
  check(parse_mbr(front).size() <= 4);
  if (front.size() >= 512)
    (void)add_to_mbr(std::string(front.substr(0, 512)), {.type = 0x83, .first = 1, .sectors = 1});
  (void)find_file_system(front);
  (void)has_partition_table(front);
  (void)sector_of_table(front, size);
  return 0;
}
