#include "builder/spec/machine_settings.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/user_places.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_machine_file = "/etc/hearth.conf";
constexpr std::size_t k_largest_settings = std::size_t{64} << 10U;
constexpr mode_t k_written_by_others = S_IWGRP | S_IWOTH;

enum class Of { url, files, place, flag, number };

struct MachineKey {
  const char* name;  ///< as the option of `hearth image create`, where there is one
  const char* variable;
  Of of;
};

constexpr std::array<MachineKey, 6> k_machine_keys = {
    MachineKey{"remote-cache", "HEARTH_REMOTE_CACHE", Of::url},
    MachineKey{"remote-cache-key", "HEARTH_REMOTE_CACHE_KEY", Of::files},
    MachineKey{"remote-cache-read-only", "HEARTH_REMOTE_CACHE_READ_ONLY", Of::flag},
    MachineKey{"remote-cache-insecure", "HEARTH_REMOTE_CACHE_INSECURE", Of::flag},
    MachineKey{"image-cache", "DIB_IMAGE_CACHE", Of::place},
    MachineKey{"cache-limit", "HEARTH_CACHE_LIMIT", Of::number}};

const MachineKey* machine_key(const std::string& name) {
  const auto* const found = std::find_if(k_machine_keys.begin(), k_machine_keys.end(),
                                         [&](const MachineKey& key) { return key.name == name; });
  return found == k_machine_keys.end() ? nullptr : found;
}

std::string unknown_machine_key(const std::string& name) {
  std::vector<std::string> names;
  for (const MachineKey& key : k_machine_keys) names.emplace_back(key.name);
  const std::optional<std::string> near = nearest(name, names);
  return cat("unknown key '", name, "'",
             near ? cat(", did you mean ", *near, "?") : cat("; there are ", join(names, ", ")));
}

/// What may be told of a line. Where its key is forgotten a password may stand in front of the first "=".
bool is_like_key(std::string_view name) {
  constexpr std::size_t longest = 40;
  return !name.empty() && name.size() <= longest && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  });
}

/// Absolute: nobody knows in which directory a build of this machine begins.
std::optional<std::string> absolute_place(const std::string& text, const fs::path& home) {
  const fs::path path = text.starts_with("~/") ? home / text.substr(2) : fs::path(text);
  return path.is_absolute() ? std::optional(path.string()) : std::nullopt;
}

struct MachineValue {
  std::string text;   ///< of the variable
  std::string fault;  ///< what it must be, and nothing of what it is: that may be a secret
};

MachineValue machine_places(const MachineKey& key, const std::string& text, const fs::path& home) {
  std::vector<std::string> places;
  for (const std::string& each : key.of == Of::files ? split(text, ':') : std::vector{text}) {
    const std::optional<std::string> place = absolute_place(each, home);
    if (!place) return {{}, cat(key.name, " takes an absolute path, or one that begins with ~/")};
    places.push_back(*place);
  }
  return {join(places, ":"), {}};
}

MachineValue machine_value(const MachineKey& key, const std::string& text, const fs::path& home) {
  switch (key.of) {
    case Of::url: return {text, text.empty() || parse_url(text) ? "" : cat(key.name, " takes an http or https URL")};
    case Of::place:
    case Of::files: return machine_places(key, text, home);
    case Of::flag:
      return {text == "true" ? "1" : "0",
              text == "true" || text == "false" ? "" : cat(key.name, " takes true or false")};
    case Of::number: return {text, parse_number(text) ? "" : cat(key.name, " takes a whole number of GiB")};
  }
  return {};
}

Error bad_settings(const fs::path& file, const std::string& what) {
  return Error(ErrorKind::input, cat(file.string(), " ", what));
}

/// Who else could write it would choose whose layers images are made of.
void require_own_settings(const fs::path& file, const struct stat& status) {
  const bool is_root = ::geteuid() == 0;
  if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
    throw bad_settings(file, cat("belongs to the user ", status.st_uid, ", who would decide what images are made of"))
        .hint(cat("Give it to ", is_root ? "root" : "root or yourself", ", or name another file by HEARTH_CONFIG."));
  }
  if ((status.st_mode & (is_root ? k_written_by_others : mode_t{S_IWOTH})) != 0)
    throw bad_settings(file, "can be written by others, who would decide what images are made of")
        .hint(cat("chmod go-w ", file.string()));
}

/// Nothing where there is no file, nor one that has text.
std::optional<std::string> read_settings(const fs::path& file, bool& is_for_all) {
  Fd fd;
  try {
    fd = Fd::open(file.string(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  } catch (Error& error) {
    if (error.system_error() == ENOENT || error.system_error() == ENOTDIR) return std::nullopt;
    throw error.hint(
        "It says what holds for all builds of this machine. HEARTH_CONFIG names another file; /dev/null is none.");
  }
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) throw Error::from_errno("looking at", file.string());
  if (S_ISCHR(status.st_mode)) return std::nullopt;
  if (!S_ISREG(status.st_mode)) throw bad_settings(file, "is no file");
  require_own_settings(file, status);
  is_for_all = (status.st_mode & S_IROTH) != 0;
  return read_all(fd, file.string(), k_largest_settings);
}

/// Who names a file, or links to one, means it: without its cache a build takes hours, and nobody sees why.
void require_where_named(const fs::path& file, const Environment& caller) {
  boost::system::error_code none;
  if (fs::exists(file, none) || (caller.count("HEARTH_CONFIG") == 0 && !fs::is_symlink(file, none))) return;
  const char* const where = caller.count("HEARTH_CONFIG") == 0 ? "leads to a file that is not there"
                                                               : "is not there, which HEARTH_CONFIG names";
  throw Error(ErrorKind::not_found, cat(file.string(), " ", where)).hint("HEARTH_CONFIG=/dev/null reads none.");
}

bool holds_password(const Environment& variables) {
  const auto found = variables.find("HEARTH_REMOTE_CACHE");
  if (found == variables.end()) return false;
  const Result<Url> url = parse_url(found->second);
  return url.ok() && !url->user_info.empty();
}

/// The user's before the machine's.
std::vector<fs::path> settings_files(const Environment& caller) {
  if (const auto given = caller.find("HEARTH_CONFIG"); given != caller.end())
    return given->second.empty() ? std::vector<fs::path>() : std::vector{fs::absolute(given->second)};
  return {config_directory(caller) / "hearth/hearth.conf", k_machine_file};
}

}  // namespace

Result<Environment> parse_machine_settings(std::string_view text, const std::string& source, const fs::path& home) {
  Environment variables;
  int number = 0;
  for (const std::string& written : split_lines(text)) {
    ++number;
    const auto fault = [&](std::string what) { return ParseError{source, {number, 0}, std::move(what)}; };
    const std::string line(trim(written));
    if (line.empty() || line.front() == '#') continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) return fault("a line is KEY = VALUE");
    const std::string name(trim(std::string_view(line).substr(0, equals)));
    if (!is_like_key(name)) return fault("a line is KEY = VALUE");
    const MachineKey* const key = machine_key(name);
    if (key == nullptr) return fault(unknown_machine_key(name));
    MachineValue value = machine_value(*key, std::string(trim(std::string_view(line).substr(equals + 1))), home);
    if (!value.fault.empty()) return fault(value.fault);
    if (!variables.emplace(key->variable, std::move(value.text)).second) return fault(cat(name, " stands here twice"));
  }
  return variables;
}

MachineSettings machine_settings(const Environment& caller) {
  MachineSettings settings;
  for (const fs::path& file : settings_files(caller)) {
    bool is_for_all = false;
    const std::optional<std::string> text = read_settings(file, is_for_all);
    if (!text) {
      require_where_named(file, caller);
      continue;
    }
    Environment variables = parse_machine_settings(*text, file.string(), home_directory(caller)).value_or_throw();
    if (holds_password(variables)) {
      if (is_for_all)
        throw bad_settings(file, "holds a password, and everybody can read it").hint(cat("chmod o-r ", file.string()));
      settings.secrets.push_back(fs::canonical(file));
    }
    settings.variables.merge(variables);
  }
  return settings;
}

bool is_of_machine(std::string_view variable) { return variable.starts_with("HEARTH_REMOTE_CACHE"); }

}  // namespace hearth::builder
