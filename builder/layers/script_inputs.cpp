#include "builder/layers/script_inputs.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::array<std::string_view, 2> k_hook_directories = {"TMP_HOOKS_PATH", "/tmp/in_target.d"};
/// Ways to one's own directory.
constexpr std::array<std::string_view, 4> k_own_directory = {"dirname \"$0", "dirname $0", "BASH_SOURCE", "${0%/"};
constexpr std::array<std::string_view, 7> k_not_inputs = {"/proc/",   "/sys/",       "/dev/",    "/run/",
                                                          "/hearth/", "/var/cache/", "/var/log/"};
constexpr std::array<std::string_view, 2> k_temporary = {"/tmp/", "/var/tmp/"};
/// Where programs are: which of them a hook has is the operating system's business.
constexpr std::array<std::string_view, 6> k_programs = {"/bin/",      "/sbin/", "/usr/bin/",
                                                        "/usr/sbin/", "/lib/",  "/lib64/"};

/// Of every character whether it is one of these: each script of each build comes by here.
class Letters {
 public:
  constexpr explicit Letters(std::string_view letters) {
    for (const char c : letters) is_one_[static_cast<unsigned char>(c)] = true;
  }
  [[nodiscard]] constexpr bool has(char c) const { return is_one_[static_cast<unsigned char>(c)]; }

 private:
  std::array<bool, 256> is_one_{};
};

constexpr Letters k_path_letters("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@:");
constexpr Letters k_before_words(" \t\n\"'=(<>|;&`");

bool is_path_letter(char c) { return k_path_letters.has(c); }

/// How one's own hook finds the directory of all hooks: two steps up from itself.
constexpr std::array<std::string_view, 3> k_own_hooks = {"$(dirname \"$(dirname \"$0\")\")", "$(dirname $(dirname $0))",
                                                         "$(dirname \"$(dirname $0)\")"};
constexpr std::string_view k_hooks = "$TMP_HOOKS_PATH";

/// The path that `text` begins with.
struct Path {
  std::string_view text;  ///< without what only ends it
  bool is_whole = true;   ///< a variable or a pattern goes on where it ends: then up to the last directory
};

Path path_at(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size() && is_path_letter(text[size])) ++size;
  std::string_view path = text.substr(0, size);
  const std::string_view after = text.substr(size);
  const bool goes_on = !after.empty() && std::string_view("$*?[{`").find(after.front()) != std::string_view::npos;
  if (goes_on) path = path.substr(0, path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/'));
  while (!path.empty() && (path.back() == '/' || path.back() == '.' || path.back() == ':')) path.remove_suffix(1);
  return {path, !goes_on};
}

/// Without comments of whole lines.
std::string code_of(std::string_view text) {
  std::string code;
  code.reserve(text.size() + 1);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::string_view words = trim(line);
    if (words.empty() || words.front() != '#') code.append(line).push_back('\n');
  }
  return code;
}

bool is_letter_of_name(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// `NAME=$TMP_HOOKS_PATH` as a whole line, that which begins at `begin`: the name; else nothing.
std::string_view name_of_hooks(std::string_view code, std::size_t begin) {
  const std::string_view line = trim(code.substr(begin, code.find('\n', begin) - begin));
  const std::string_view name = line.substr(0, line.find('='));
  const std::string_view value = line.substr(std::min(line.size(), name.size() + 1));
  const bool is_named = !name.empty() && std::all_of(name.begin(), name.end(), is_letter_of_name);
  return is_named && (value == k_hooks || value == cat("\"", k_hooks, "\"")) ? name : std::string_view();
}

/// Each `$name` as $TMP_HOOKS_PATH. The word without a "$" may hand the variable on, to be read anywhere: it stands for
/// the directory, too.
std::string with_value(std::string_view code, std::string_view name) {
  std::string text;
  for (std::size_t at = 0; at < code.size();) {
    std::size_t end = at;
    while (end < code.size() && is_letter_of_name(code[end])) ++end;
    const bool is_it = code.substr(at, end - at) == name;
    const bool is_set = is_it && !name_of_hooks(code, code.rfind('\n', at) + 1).empty();  // npos + 1 is 0
    const bool is_value = text.ends_with("$") || text.ends_with("${");
    if (is_set) {
      end = std::min(code.size(), code.find('\n', at));
    } else if (is_it) {
      text += is_value ? k_hooks.substr(1) : k_hooks;
    } else {
      end = std::max(end, at + 1);
      text += code.substr(at, end - at);
    }
    at = end;
  }
  return text;
}

/// With TMP_HOOKS_PATH where a script comes to that directory from its own place, by a variable or not.
std::string with_hooks_named(std::string code) {
  bool has_own = false;
  for (const std::string_view words : k_own_hooks) {
    has_own = has_own || code.find(words) != std::string::npos;
    code = replace_all(std::move(code), words, k_hooks);
  }
  for (std::size_t at = 0; has_own && at < code.size(); at = std::min(code.size(), code.find('\n', at)) + 1) {
    if (const std::string name(name_of_hooks(code, at)); !name.empty()) return with_value(code, name);
  }
  return code;
}

void find_hooks(std::string_view code, ScriptInputs& inputs) {
  for (const std::string_view name : k_hook_directories) {
    for (std::size_t at = code.find(name); at != std::string_view::npos; at = code.find(name, at + 1)) {
      std::string_view after = code.substr(at + name.size());
      while (!after.empty() && (after.front() == '}' || after.front() == '"')) after.remove_prefix(1);
      const Path path = path_at(after);
      if (path.text.size() > 1 && path.text.front() == '/') {
        inputs.hooks.emplace(path.text.substr(1));
      } else {
        inputs.any_hook = true;
      }
    }
  }
  for (const std::string_view words : k_own_directory) {
    if (code.find(words) != std::string_view::npos) inputs.own_directory = true;
  }
}

bool counts_as_input(const std::string& path) {
  const auto is_below = [&](std::string_view directory) { return cat(path, "/").starts_with(directory); };
  for (const std::string_view directory : k_not_inputs) {
    if (is_below(directory)) return false;
  }
  for (const std::string_view directory : k_programs) {
    if (is_below(directory)) return false;
  }
  return path.find('/', 1) != std::string::npos;  // "/etc" itself says nothing
}

bool is_temporary(const std::string& path) {
  return std::any_of(k_temporary.begin(), k_temporary.end(),
                     [&](std::string_view directory) { return path.starts_with(directory); });
}

/// The start of a word of the shell.
bool begins_word(std::string_view code, std::size_t at) { return at == 0 || k_before_words.has(code[at - 1]); }

void find_host(std::string_view code, const std::string& home, ScriptInputs& inputs) {
  const auto add = [&](const std::string& before, std::string_view rest) {
    const std::string whole = cat(before, path_at(rest).text);
    if (whole == "/var/tmp" || !counts_as_input(whole)) return;
    (is_temporary(whole) ? inputs.temporary : inputs.host).insert(whole);
  };
  const auto add_relative = [&](std::string_view rest) {
    const Path path = path_at(rest);
    const bool is_url = path.text.find("//") != std::string_view::npos;
    if (path.is_whole && !is_url && path.text.find('/') != std::string_view::npos) inputs.relative.emplace(path.text);
  };
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (!begins_word(code, at)) continue;
    const std::string_view rest = code.substr(at);
    if (rest.front() == '/') add("", rest);
    if (rest.front() != '/' && is_path_letter(rest.front())) add_relative(rest);
    for (const std::string_view word : {"~/", "$HOME/", "${HOME}/"}) {
      if (rest.starts_with(word) && !home.empty()) add(home, rest.substr(word.size() - 1));
    }
  }
}

}  // namespace

ScriptInputs inputs_in(std::string_view text, const std::string& home) {
  const std::string code = code_of(text);
  ScriptInputs inputs;
  const std::string named = with_hooks_named(code);
  inputs.own_hooks = named != code;
  find_hooks(named, inputs);
  find_host(code, home, inputs);
  return inputs;
}

std::optional<std::string> clock_words(std::string_view text) {
  const std::string code = code_of(text);
  for (const char* word :
       {"EPOCHSECONDS", "EPOCHREALTIME", "time.time(", "datetime.now(", "datetime.utcnow(", ")T' -1"}) {
    if (code.find(word) != std::string::npos) return word;
  }
  static constexpr std::string_view date = "date";
  for (std::size_t at = code.find(date); at != std::string::npos; at = code.find(date, at + 1)) {
    const std::string_view after = std::string_view(code).substr(at + date.size());
    const std::string_view before = std::string_view(code).substr(0, at);
    const std::string_view command = trim(before.substr(before.find_last_of("\n;&|`(") + 1));
    const bool ends = after.empty() || std::string_view(" \t\n;|&)`").find(after.front()) != std::string_view::npos;
    if (!ends || !(command.empty() || command == "/bin/" || command == "/usr/bin/")) continue;
    const std::string_view rest = after.substr(0, after.find_first_of("\n;|&)`"));
    const std::vector<std::string> words = split_words(std::string(rest));
    bool from_elsewhere = false;
    for (const std::string& word : words) {
      from_elsewhere = from_elsewhere || word.starts_with("-d") || word.starts_with("--date") ||
                       word.starts_with("-r") || word.starts_with("--reference") || word.starts_with("-ud");
    }
    if (!from_elsewhere) return std::string(date);
  }
  return std::nullopt;
}

}  // namespace hearth::builder
