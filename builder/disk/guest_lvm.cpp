#include "builder/disk/guest_lvm.hpp"

#include "base/error.hpp"
#include "base/hmac.hpp"
#include "base/text.hpp"
#include "builder/disk/lvm_metadata.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_largest_head = std::uint64_t{2} << 20U;  // what one message of libguestfs takes, as base64
constexpr std::size_t k_word = 60000;                              // of a command line
constexpr const char* k_file = "/tmp/hearth-head";

std::uint64_t head_bytes(Guest& guest, const std::string& device) {
  const std::string answer =
      guest.run(cat("pvs --noheadings --nosuffix --units b -o pe_start ", device, " 2>/dev/null\n"));
  const std::optional<std::uint64_t> bytes = parse_number(trim(answer));
  if (!bytes) throw Error(ErrorKind::external, cat("pvs does not tell where ", device, " begins: ", trim(answer)));
  return *bytes;
}

std::string read_head(Guest& guest, const std::string& device, std::uint64_t bytes) {
  const std::string text = guest.run(cat("head -c ", bytes, " ", device, " | base64 -w0\n"));
  std::optional<std::string> head = base64_decode(trim(text));
  if (!head || head->size() != bytes) throw Error(ErrorKind::external, cat("the head of ", device, " can't be read"));
  return std::move(*head);
}

/// Writes what is not zero, and zeros up to `head`'s end.
void write_head(Guest& guest, const std::string& device, const std::string& head) {
  const std::string text = base64_encode(std::string_view(head).substr(0, head.find_last_not_of('\0') + 1));
  guest.run(cat("rm -f ", k_file, "\n"));
  for (std::size_t at = 0; at < text.size(); at += k_word) {
    guest.run(cat("printf %s '", text.substr(at, k_word), "' >> ", k_file, "\n"));
  }
  guest.run(cat("{ base64 -d ", k_file, "; cat /dev/zero; } | head -c ", head.size(), " | dd of=", device,
                " bs=64k iflag=fullblock conv=notrunc,fsync status=none\nrm -f ", k_file, "\n"));
}

}  // namespace

void fix_lvm_ids(Guest& guest, const std::string& group, const std::vector<std::string>& devices, std::string_view seed,
                 std::int64_t epoch) {
  guest.run(cat("vgchange -q -an ", group, "\n"));
  for (const std::string& device : devices) {
    const std::uint64_t bytes = head_bytes(guest, device);
    if (bytes > k_largest_head) continue;  // by an option of its own; nothing is lost but equal bytes
    write_head(guest, device, fixed_lvm_head(read_head(guest, device, bytes), seed, epoch));
  }
  guest.run(cat("rm -f /run/lvm/hints\nvgchange -q -ay ", group, "\nudevadm settle\n"));
}

}  // namespace hearth::builder
