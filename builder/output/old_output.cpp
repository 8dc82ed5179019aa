#include "builder/output/old_output.hpp"

#include <array>
#include <ctime>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::array<const char*, 3> k_checksums = {".md5", ".sha256", ".sha512"};

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
  const fs::path kept = old_output_name(target, clock.wall());
  keep(target, kept);
  for (const char* checksum : k_checksums) {
    const fs::path file = target.string() + checksum;
    if (fs::exists(file)) keep(file, kept.string() + checksum);
  }
  return kept;
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
