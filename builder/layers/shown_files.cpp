#include "builder/layers/shown_files.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "base/variable.hpp"
#include "builder/layers/input_digest.hpp"

namespace hearth::builder {

bool came_to(const Reads& reads, const fs::path& place, const fs::path& start_directory) {
  boost::system::error_code failed;
  const fs::path real = fs::weakly_canonical(place, failed);
  const auto is_at = [&](const fs::path& path) { return holds(place, path) || (!failed && holds(real, path)); };
  const auto is_below = [&](const std::string& path) {
    return is_at(path) || is_at(fs::weakly_canonical(path, failed));
  };
  return std::any_of(reads.shown.begin(), reads.shown.end(), is_below) ||
         std::any_of(reads.asked.begin(), reads.asked.end(), [&](const auto& look) { return is_below(look.first); }) ||
         std::any_of(reads.machine.begin(), reads.machine.end(), [&](const auto& read) {
           const bool is_above = read.first != start_directory && (holds(read.first, place) || holds(read.first, real));
           return is_above || is_below(read.first);
         });
}

bool may_be_a_programs(const fs::path& path, const Environment& callers) {
  static constexpr std::array<const char*, 14> systems = {"usr", "lib",  "lib32", "lib64", "libx32", "bin", "sbin",
                                                          "etc", "boot", "proc",  "sys",   "dev",    "run", "var"};
  boost::system::error_code failed;
  const fs::path real = fs::weakly_canonical(path, failed);
  const fs::path home = variable(callers, "HOME");
  const std::vector<std::string> programs = split(variable(callers, "PATH"), ':');
  return std::any_of(systems.begin(), systems.end(),
                     [&](const char* name) { return holds(fs::path("/") / name, real); }) ||
         holds(path, home) || holds(real, home) || path.string().find("/.") != std::string::npos ||
         std::any_of(programs.begin(), programs.end(), [&](const fs::path& each) {
           return !each.empty() && (holds(path, each) || holds(each, path) || holds(real, each) || holds(each, real));
         });
}

}  // namespace hearth::builder
