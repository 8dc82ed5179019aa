#include "builder/frames/image_frames.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/vm/qemu_machine.hpp"

namespace hearth::builder::frames {

namespace {

/// The raw disk that `image` holds: itself, or what qemu-img makes of it in `scratch`.
fs::path raw_of(const fs::path& image, const fs::path& scratch, CommandRunner& runner) {
  const std::string format = vm::image_format_of(image);
  if (format == "raw") return image;
  fs::path raw = scratch / "disk.raw";
  run_checked(runner,
              Command{.argv = {"qemu-img", "convert", "-f", format, "-O", "raw", image.string(), raw.string()}});
  return raw;
}

}  // namespace

bool is_whole_disk(const fs::path& image, std::string_view format) {
  if (fs::file_size(image) == 0 || vm::image_format_of(image) != format) return false;
  std::array<char, 80> bytes{};
  const Fd file = Fd::open(image.string(), O_RDONLY);
  if (::read(file.get(), bytes.data(), bytes.size()) < 0) throw Error::from_errno("reading", image.string());
  const std::string_view head(bytes.data(), bytes.size());
  if (format == "raw") return !head.starts_with("\x1f\x8b") && !head.starts_with("\x28\xb5\x2f\xfd");  // gzip, zstd
  // QEMU's docs/interop/qcow2.txt: where the name of a backing file stands, and the bit of an external data file.
  constexpr std::size_t k_backing_file = 8;
  constexpr std::size_t k_last_feature_byte = 79;
  const bool is_backed = head.substr(k_backing_file, 8) != std::string_view("\0\0\0\0\0\0\0\0", 8);
  const bool is_first_version = head[7] < 3;  // which has no features there
  return !is_backed && (is_first_version || (static_cast<unsigned char>(head[k_last_feature_byte]) & 4U) == 0);
}

Published write_image_frames(const fs::path& image, const fs::path& scratch, const Fd& out,
                             const PublishOptions& options, CommandRunner& runner) {
  const Fd raw = Fd::open(raw_of(image, scratch, runner).string(), O_RDONLY);
  const Fd spool = Fd::open((scratch / "frames").string(), O_RDWR | O_CREAT, 0600);
  return write_frames(raw, spool, out, options);
}

}  // namespace hearth::builder::frames
