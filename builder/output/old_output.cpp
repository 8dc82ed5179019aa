#include "builder/output/old_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <ctime>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::array<const char*, 3> k_checksums = {".md5", ".sha256", ".sha512"};

/// Fewer bytes than the block has only at the file's end.
std::size_t read_block(const Fd& fd, std::string& block, std::uint64_t at, const fs::path& file) {
  std::size_t filled = 0;
  while (filled < block.size()) {
    const ssize_t got =
        ::pread(fd.get(), block.data() + filled, block.size() - filled, static_cast<off_t>(at + filled));
    if (got < 0 && errno != EINTR) throw Error::from_errno("reading", file.string());
    if (got == 0) break;
    if (got > 0) filled += static_cast<std::size_t>(got);
  }
  return filled;
}

/// A second name, so that the first one is never missing: what is written takes it over. A directory, or a file system
/// without such names, has to move.
void keep(const fs::path& from, const fs::path& to) {
  boost::system::error_code failed;
  if (fs::is_regular_file(fs::symlink_status(from))) fs::create_hard_link(from, to, failed);
  if (!fs::is_regular_file(fs::symlink_status(from)) || failed) fs::rename(from, to);
}

}  // namespace

fs::path old_output_name(const fs::path& target, WallTime now) {
  const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y.%m.%d-%H.%M.%S", &parts);
  return target.parent_path() / cat(target.stem().string(), "-", text.data(), target.extension().string());
}

fs::path keep_old_output(const fs::path& target, const Clock& clock) {
  if (!fs::exists(target)) return {};
  WallTime now = clock.wall();
  fs::path kept = old_output_name(target, now);
  // Two builds in one second: the one that is kept already stays.
  for (; fs::exists(fs::symlink_status(kept)); kept = old_output_name(target, now)) now += std::chrono::seconds(1);
  keep(target, kept);
  for (const char* checksum : k_checksums) {
    const fs::path file = target.string() + checksum;
    if (fs::exists(file)) keep(file, kept.string() + checksum);
  }
  return kept;
}

bool has_same_bytes(const fs::path& one, const fs::path& other) {
  constexpr std::size_t k_at_once = std::size_t{1} << 20U;
  if (!fs::is_regular_file(one) || !fs::is_regular_file(other) || fs::equivalent(one, other) ||
      fs::file_size(one) != fs::file_size(other))
    return false;
  const Fd first = Fd::open(one.string(), O_RDONLY | O_CLOEXEC);
  const Fd second = Fd::open(other.string(), O_RDONLY | O_CLOEXEC);
  std::string here(k_at_once, '\0');
  std::string there(k_at_once, '\0');
  for (std::uint64_t at = 0;; at += k_at_once) {
    const std::size_t got = read_block(first, here, at, one);
    if (got != read_block(second, there, at, other) || std::memcmp(here.data(), there.data(), got) != 0) return false;
    if (got < k_at_once) return true;
  }
}

void drop_old_output(const fs::path& kept) {
  for (const char* checksum : k_checksums) fs::remove(kept.string() + checksum);
  fs::remove(kept);
}

void take_back_old_output(const fs::path& target, const fs::path& kept) {
  boost::system::error_code failed;  // what is in the way then is two names of one image
  if (kept.empty() || !fs::exists(kept, failed)) return;
  const auto back = [&](const fs::path& from, const fs::path& to) {
    if (fs::exists(to, failed) && fs::equivalent(from, to, failed)) {
      fs::remove(from, failed);
    } else if (!fs::exists(to, failed)) {
      fs::rename(from, to, failed);
    }
  };
  for (const char* checksum : k_checksums) {
    if (fs::exists(kept.string() + checksum, failed)) back(kept.string() + checksum, target.string() + checksum);
  }
  back(kept, target);
}

}  // namespace hearth::builder
