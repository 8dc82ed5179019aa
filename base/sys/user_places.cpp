#include "base/sys/user_places.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

/// Empty where it is not set.
fs::path path_in(const Environment& env, const std::string& name) {
  const auto found = env.find(name);
  return found == env.end() ? fs::path() : fs::path(found->second);
}

fs::path listed_home() {
  std::array<char, 16384> text{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, text.data(), text.size(), &found) != 0 || found == nullptr) return {};
  return found->pw_dir;
}

}  // namespace

fs::path home_directory(const Environment& env) {
  for (const fs::path& home : {path_in(env, "HOME"), listed_home()}) {
    if (home.is_absolute()) return home;
  }
  return "/";
}

fs::path cache_directory(const Environment& env) {
  const fs::path given = path_in(env, "XDG_CACHE_HOME");
  return given.is_absolute() ? given : home_directory(env) / ".cache";
}

fs::path config_directory(const Environment& env) {
  const fs::path given = path_in(env, "XDG_CONFIG_HOME");
  return given.is_absolute() ? given : home_directory(env) / ".config";
}

fs::path kept_state_directory(const Environment& env) {
  const fs::path given = path_in(env, "XDG_STATE_HOME");
  return given.is_absolute() ? given : home_directory(env) / ".local" / "state";
}

fs::path temporary_directory(const Environment& env) {
  fs::path given = path_in(env, "TMPDIR");
  if (given.empty()) return "/tmp";
  if (fs::is_directory(given)) return given;
  throw Error(ErrorKind::not_found, cat("TMPDIR names ", given.string(), ", which is no directory"))
      .hint("Make it, or unset TMPDIR: temporary files then go to /tmp.");
}

}  // namespace hearth
