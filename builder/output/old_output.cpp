#include "builder/output/old_output.hpp"

#include <array>
#include <ctime>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

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
  fs::rename(target, kept);
  for (const char* checksum : {".md5", ".sha256", ".sha512"}) {
    const fs::path file = target.string() + checksum;
    if (fs::exists(file)) fs::rename(file, kept.string() + checksum);
  }
  return kept;
}

}  // namespace hearth::builder
