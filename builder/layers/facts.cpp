#include "builder/layers/facts.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <set>
#include <unordered_set>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "builder/evidence/image_facts.hpp"
#include "builder/layers/unnamed_variables.hpp"
#include "builder/plan/builders_variables.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_digest_digits = 32;  // half a SHA-256: 128 bits

const std::unordered_set<std::string_view> k_session = {"COLUMNS",   "LINES",       "SHLVL",          "PWD",
                                                        "OLDPWD",    "TERM",        "LS_COLORS",      "LESSOPEN",
                                                        "LESSCLOSE", "MAIL",        "GPG_TTY",        "WINDOWID",
                                                        "DISPLAY",   "COLORTERM",   "EDITOR",         "PAGER",
                                                        "HISTFILE",  "LOGNAME",     "USER",           "HOME",
                                                        "TMPDIR",    "TMP_DIR",     "INVOCATION_ID",  "JOURNAL_STREAM",
                                                        "NO_COLOR",  "HOSTNAME",    "SHELL",          "DEBUGINFOD_URLS",
                                                        "CI",        "RUNNER_TEMP", "BUILD_NUMBER",   "BUILD_ID",
                                                        "BUILD_URL", "JOB_NAME",    "WORKSPACE",      "TMUX",
                                                        "TMUX_PANE", "STY",         "WAYLAND_DISPLAY"};

/// Likewise, though their names begin as those of what programs read: Jenkins's words about its checkout, npm's about
/// the script that it runs.
constexpr std::array<std::string_view, 12> k_callers = {
    "GIT_COMMIT",      "GIT_BRANCH",       "GIT_LOCAL_BRANCH", "GIT_PREVIOUS_COMMIT", "GIT_PREVIOUS_SUCCESSFUL_COMMIT",
    "GIT_URL",         "GIT_CHECKOUT_DIR", "npm_command",      "npm_execpath",        "npm_node_execpath",
    "npm_lifecycle_*", "npm_package_*"};

constexpr std::string_view k_install_type = "HEARTH_INSTALL_TYPE";  // becomes a file of environment.d
constexpr std::string_view k_python = "HEARTH_PYTHON";              // what DIB_PYTHON_EXEC starts

/// Values in which paths stand that are counted otherwise, or none.
const std::unordered_set<std::string_view> k_no_inputs = {"PATH",     "PS4",           "ELEMENTS_PATH",     "DIB_ENV",
                                                          "DIB_ARGS", "IMAGE_ELEMENT", "IMAGE_ELEMENT_YAML"};

/// Where things lie, which says nothing about what they are.
const std::unordered_set<std::string_view> k_never = {"_", "DIB_IMAGE_CACHE", "DIB_LOCKFILES", "HEARTH_INPUTS"};

constexpr std::array<std::string_view, 21> k_session_prefixes = {
    "XDG_",       "SSH_",    "DBUS_",  "GITHUB_", "GITLAB_", "CI_",         "JENKINS_",
    "BUILDKITE_", "SUDO_",   "VTE_",   "KDE_",    "GNOME_",  "VSCODE_",     "RUNNER_",
    "SYSTEMD_",   "HEARTH_", "SLURM_", "SLURMD_", "SBATCH_", "KUBERNETES_", "NOMAD_"};

/// What programs look for by themselves. One that is not here is handed to a step whose scripts name it.
const std::unordered_set<std::string_view> k_tools = {"ARCH",
                                                      "PATH",
                                                      "LANG",
                                                      "LANGUAGE",
                                                      "TZ",
                                                      "TZDIR",
                                                      "IFS",
                                                      "POSIXLY_CORRECT",
                                                      "BASH_ENV",
                                                      "ENV",
                                                      "CC",
                                                      "CXX",
                                                      "CPP",
                                                      "LD",
                                                      "AR",
                                                      "CFLAGS",
                                                      "CXXFLAGS",
                                                      "CPPFLAGS",
                                                      "LDFLAGS",
                                                      "MAKEFLAGS",
                                                      "RUSTFLAGS",
                                                      "GOFLAGS",
                                                      "GOPROXY",
                                                      "GOSUMDB",
                                                      "GOPRIVATE",
                                                      "XZ_OPT",
                                                      "XZ_DEFAULTS",
                                                      "GZIP",
                                                      "BZIP2",
                                                      "ZSTD_CLEVEL",
                                                      "TAR_OPTIONS",
                                                      "RSYNC_RSH",
                                                      "RSYNC_PROXY",
                                                      "WGETRC",
                                                      "CURL_HOME",
                                                      "CURL_CA_BUNDLE",
                                                      "REQUESTS_CA_BUNDLE",
                                                      "SSL_CERT_FILE",
                                                      "SSL_CERT_DIR",
                                                      "NETRC",
                                                      "NODE_OPTIONS",
                                                      "NODE_PATH",
                                                      "NODE_EXTRA_CA_CERTS",
                                                      "JAVA_HOME",
                                                      "JAVA_TOOL_OPTIONS",
                                                      "VIRTUAL_ENV",
                                                      "UV_INDEX_URL",
                                                      "ACCEPT_EULA",
                                                      "INITRD",
                                                      "RUNLEVEL"};
constexpr std::array<std::string_view, 21> k_tool_prefixes = {
    "DIB_", "LC_",    "APT_", "DEB",  "DPKG_", "YUM",    "DNF",  "RPM",  "ZYPP", "PIP_",        "UCF_",
    "GIT_", "PYTHON", "PERL", "RUBY", "GEM_",  "CARGO_", "NPM_", "npm_", "LD_",  "NEEDRESTART_"};
constexpr std::array<std::string_view, 2> k_proxy_endings = {"_proxy", "_PROXY"};

/// How texts ask for variables by their names, in the shell and in other languages: the one table of it.
struct Asking {
  using Words = std::string_view;
  /// For one: right before its name ("$(T)" is make's, "ENV{" Perl's, "env." JavaScript's).
  static constexpr std::array<Words, 8> k_before = {"$", "${", "${#", "$(", "-v ", "ENV{", "env.", "env("};
  /// In quotes, where the text has one of the words by which languages ask for it.
  static constexpr std::array<Words, 2> k_quotes = {"\"", "'"};
  static constexpr std::array<Words, 5> k_with_quotes = {"getenv", "Getenv", "ENV", "environ", "env["};
  /// In the same line before it: exported (environment.d is sourced with what it sets), or asked whether it is set.
  static constexpr std::array<Words, 5> k_in_line = {"export ", "declare ", "typeset ", "readonly ", "printenv "};
  /// Beside it: comparisons of numbers, which need no "$".
  static constexpr std::array<Words, 6> k_numbers = {"-eq ", "-ne ", "-lt ", "-le ", "-gt ", "-ge "};
  /// Right behind it: conditions of package lists.
  static constexpr std::array<Words, 3> k_behind = {" = ", " != ", "!="};
};

/// A function of bash is named in scripts without what bash wraps around it.
std::string_view name_in_scripts(std::string_view variable) {
  static constexpr std::string_view begin = "BASH_FUNC_";
  static constexpr std::string_view end = "%%";
  if (variable.substr(0, begin.size()) != begin || variable.size() < begin.size() + end.size()) return variable;
  return variable.substr(begin.size(), variable.size() - begin.size() - end.size());
}

bool is_of_caller(std::string_view variable) {
  return std::any_of(k_callers.begin(), k_callers.end(), [&](std::string_view name) {
    return name.ends_with('*') ? variable.starts_with(name.substr(0, name.size() - 1)) : variable == name;
  });
}

bool is_word_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_file_letter(char c) { return is_word_letter(c) || c == '.' || c == '-' || c == '+'; }

constexpr std::size_t k_short_name = 2;  ///< of a variable: any text has such words

/// A name of a variable in a text, from `begin` to `end`.
struct Occurrence {
  std::string_view text;
  std::size_t begin = 0, end = 0;
  [[nodiscard]] std::string_view head() const { return text.substr(0, begin); }
  [[nodiscard]] std::string_view rest() const { return text.substr(end); }
  [[nodiscard]] std::string_view line_before() const {
    const std::size_t line = head().rfind('\n');
    return line == std::string_view::npos ? head() : head().substr(line + 1);
  }
  [[nodiscard]] std::string_view line_after() const { return rest().substr(0, rest().find('\n')); }
};

template <class Words = std::initializer_list<std::string_view>>
bool ends_with_any(std::string_view text, const Words& ends) {
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view each) { return text.ends_with(each); });
}

template <class Words = std::initializer_list<std::string_view>>
bool begins_with_any(std::string_view text, const Words& begins) {
  return std::any_of(begins.begin(), begins.end(), [&](std::string_view each) { return text.starts_with(each); });
}

template <class Words = std::initializer_list<std::string_view>>
bool has_any(std::string_view text, const Words& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view each) { return text.find(each) != std::string_view::npos; });
}

/// "x=$((1 + T))"
bool is_in_arithmetic(std::string_view before) {
  const std::size_t opened = before.rfind("((");
  return opened != std::string_view::npos && before.substr(opened).find("))") == std::string_view::npos;
}

/// Whether the name is a variable's there. In anybody's text, of whatever language, quotes and braces are enough.
bool is_read(const Occurrence& name, bool is_anybodys = false) {
  if (ends_with_any(name.head(), Asking::k_before) || begins_with_any(name.rest(), Asking::k_behind)) return true;
  if (ends_with_any(name.head(), Asking::k_quotes) && (is_anybodys || has_any(name.text, Asking::k_with_quotes)))
    return true;
  const std::string_view before = name.line_before();
  if (is_in_arithmetic(before) || has_any(before, Asking::k_in_line) || (is_anybodys && before.ends_with('{')))
    return true;
  return ends_with_any(before, Asking::k_numbers) ||
         (name.rest().starts_with(' ') && begins_with_any(name.rest().substr(1), Asking::k_numbers));
}

/// Where the text has the name as a word, from `from` on.
std::optional<Occurrence> next_word(std::string_view text, std::string_view name, std::size_t from = 0) {
  for (std::size_t at = text.find(name, from); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_word_letter(text[at - 1]);
    if (begins && (end == text.size() || !is_word_letter(text[end]))) return Occurrence{text, at, end};
  }
  return std::nullopt;
}

/// "$T", "${T", "$((T", "export T", "-v T", and in quotes or braces, as other languages have it.
std::optional<Occurrence> plainly_named(std::string_view text, std::string_view name) {
  for (auto found = next_word(text, name); found; found = next_word(text, name, found->end)) {
    if (is_read(*found, true)) return found;
  }
  return std::nullopt;
}

/// Whether all of an assignment's line behind "=" is its value: `A=b cmd` gives the value to one program only.
bool is_whole_value(std::string_view value) {
  value = trim(value);
  const auto is_even = [&](char c) { return std::count(value.begin(), value.end(), c) % 2 == 0; };
  if (!is_even('"') || !is_even('\'') || !is_even('`') ||
      std::count(value.begin(), value.end(), '(') != std::count(value.begin(), value.end(), ')'))
    return false;  // it goes on in the next line
  if (value.find_first_of(" \t;&|") == std::string_view::npos) return true;
  for (const auto& [open, close] : {std::pair<std::string_view, char>{"\"", '"'}, {"'", '\''}, {"$(", ')'}}) {
    if (value.size() > open.size() && value.starts_with(open) && value.back() == close &&
        value.find(close, open.size()) == value.size() - 1)
      return true;
  }
  return false;
}

/// Where a script gives the name a value of its own before it reads it, whatever came before: `T=…` at the begin of a
/// line (but not in a text for another file), the variable of a loop, of read, of a function. What stands further in
/// may not be run; `indented`: it counts all the same.
bool is_given_first(const Occurrence& name, std::string_view variable, bool indented) {
  const std::string_view before = name.line_before();
  if (before.ends_with("for ") && begins_with_any(name.rest(), {" ", ";", "\n"})) return true;
  if (ends_with_any(before, {"read ", "read -r "})) return true;
  const bool is_lower = std::none_of(variable.begin(), variable.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (is_lower && before.ends_with("local ")) return true;
  const std::string_view after = name.line_after();
  if (!(indented ? trim(before) : before).empty() || !after.starts_with('=') || after.starts_with("==") ||
      has_any(name.head(), {"<<"}))
    return false;
  const std::string_view value = after.substr(1);
  const bool is_of_itself = has_any(value, {"((", "$(", "`", "${!"})
                                ? has_any(value, {variable})
                                : has_any(value, {cat("$", variable), cat("${", variable)});
  return !is_of_itself && (is_whole_value(value) || is_whole_value(value.substr(0, value.find(" #"))));
}

/// Where a text of Hearth's own reads the variable; a word that is only a word (`user`, `T`) is none.
std::optional<Occurrence> reading_of(std::string_view text, std::string_view variable, bool is_hearths) {
  if (has_any(text, {"when:", "\"when\""})) return next_word(text, variable);  // conditions of a package list
  for (auto found = next_word(text, variable); found; found = next_word(text, variable, found->end)) {
    const bool is_comment = trim(found->line_before()).starts_with('#') && !has_any(found->head(), {"<<"});
    if (is_comment) continue;
    if (is_given_first(*found, variable, is_hearths)) return std::nullopt;
    if (is_read(*found)) return found;
  }
  return std::nullopt;
}

/// "NAME=", from `begin` to `end`, as a word of its own: not "$NAME=", "--name=", "NAME==".
bool is_assigned(std::string_view text, std::size_t begin, std::size_t end) {
  const bool is_first = begin == 0 || std::string_view(" \t\n;&|(").find(text[begin - 1]) != std::string_view::npos;
  return is_first && text.substr(end, 1) == "=" && text.substr(end + 1, 1) != "=";
}

/// "$key.pub" is a value and what stands behind it, as "${key}.pub" is: no file key.pub. What a script comes to by such
/// a name is seen when it opens that.
bool begins_by_value(std::string_view text, std::size_t begin, std::string_view name) {
  return begin > 0 && text[begin - 1] == '$' && !std::all_of(name.begin(), name.end(), is_word_letter);
}

/// `path` is `directory`, or below it.
bool is_inside(const std::string& path, const std::string& directory) {
  return !directory.empty() && path.compare(0, directory.size(), directory) == 0 &&
         (path.size() == directory.size() || path[directory.size()] == '/' || directory.back() == '/');
}

/// The fact's name without its kind, and what happened to it.
std::string sentence(const std::string& fact, std::string_view what) {
  const std::string kind = fact_kind(fact);
  std::string name = fact_name(fact);
  if (kind == "env") return cat("the variable ", name, " ", what);
  if (kind == "repository") return cat("the package repository ", name, " ", what);
  if (kind == "git") return cat("the git repository ", name, " ", what);
  if (kind == "file") return cat("what the variable ", name, " names ", what);
  if (kind == "package") return cat("the package ", name, " ", what);
  if (kind == "unseen") return name;
  if (kind == "url") return cat("the document ", name, " ", what);
  if (kind == "fetch") return cat("the download ", name, " ", what);
  if (kind == "host" || kind == "read" || kind == "asked" || kind == "shown")
    return cat("the machine's ", name, " ", what);
  if (kind == "element") {
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) return cat("some file of the element ", name, " ", what);
    return cat(name.substr(slash + 1), " of the element ", name.substr(0, slash), " ", what);
  }
  if (kind == "elements") return cat("some file of an element ", what);
  if (kind == "names") return cat("which files there are in ", name == "hooks" ? "all elements" : name, " ", what);
  if (kind == "list") return cat("the directory ", name, " ", what);
  if (kind == "link") return cat("the link ", name, " ", what);
  return cat(name, " ", what);
}

}  // namespace

std::string fact_kind(const std::string& fact) { return fact.substr(0, fact.find(' ')); }
std::string fact_name(const std::string& fact) { return fact.substr(std::min(fact.size(), fact.find(' ') + 1)); }

bool is_remote(const std::string& fact) {
  const std::string kind = fact_kind(fact);
  return kind == "fetch" || kind == "repository" || kind == "git" || kind == "url";
}

std::string fact_digest(std::string_view value) {
  return hex_digest(HashKind::sha256, value).substr(0, k_digest_digits);
}

bool always_counts(std::string_view variable) {
  const auto begins_so = [&](std::string_view prefix) { return variable.starts_with(prefix); };
  const auto ends_so = [&](std::string_view ending) { return variable.ends_with(ending); };
  if (k_never.count(variable) > 0 || is_set_by_builder(variable) || is_of_caller(variable)) return false;
  return variable == k_install_type || variable == k_python || k_tools.count(variable) > 0 ||
         std::any_of(k_tool_prefixes.begin(), k_tool_prefixes.end(), begins_so) ||
         std::any_of(k_proxy_endings.begin(), k_proxy_endings.end(), ends_so);
}

bool is_locale(std::string_view variable) {
  return variable == "LANG" || variable == "LANGUAGE" || variable.starts_with("LC_");
}

bool is_proxy(std::string_view variable) {
  if (variable.starts_with("HEARTH_")) return false;  // what hooks of a recording are told of the caller's own
  return std::any_of(k_proxy_endings.begin(), k_proxy_endings.end(),
                     [&](std::string_view ending) { return variable.ends_with(ending); });
}

bool may_be_an_elements(std::string_view variable) {
  return variable.starts_with("DIB_") && !is_read_by_builder(variable);
}

bool is_of_session(std::string_view variable) {
  if (variable == k_install_type) return false;
  const auto begins_so = [&](std::string_view prefix) { return variable.starts_with(prefix); };
  return k_session.count(variable) > 0 || is_of_caller(variable) ||
         std::any_of(k_session_prefixes.begin(), k_session_prefixes.end(), begins_so);
}

bool names_variable(std::string_view text, std::string_view variable) {
  return next_word(text, name_in_scripts(variable)).has_value();
}

bool is_of_builder(std::string_view variable) { return is_set_by_builder(variable); }

bool never_counts(std::string_view variable) { return k_never.count(variable) > 0; }

ScriptWords::ScriptWords(std::string text, Kind kind)
    : text_(std::move(text)),
      kind_(kind),
      lists_variables_(kind != Kind::may_be_data && hearth::builder::lists_variables(text_)) {
  const std::string_view all = text_;
  for (std::size_t at = 0; at < all.size();) {
    std::size_t end = at;
    while (end < all.size() && is_file_letter(all[end])) ++end;
    std::string_view name = all.substr(at, end - at);
    while (!name.empty() && name.back() == '.') name.remove_suffix(1);
    const bool is_given = kind == Kind::hearths && is_assigned(all, at, end);
    if (!name.empty() && !is_given && !begins_by_value(all, at, name)) words_.insert(name);
    for (std::size_t i = at; i < end; ++i) {
      std::size_t last = i;
      while (last < end && is_word_letter(all[last])) ++last;
      if (last > i && last - i < name.size()) words_.insert(all.substr(i, last - i));
      i = last;
    }
    at = end + 1;
  }
  for (std::size_t at = all.find('~'); at != std::string_view::npos; at = all.find('~', at + 1)) {
    const bool begins = at == 0 || std::string_view(" \t\n\"'=:").find(all[at - 1]) != std::string_view::npos;
    const std::string_view after = all.substr(at + 1, 1);
    const bool compares = (at > 1 && all[at - 1] == '=' && all[at - 2] == ' ') ||  // [[ a =~ b ]]
                          all.substr(at).starts_with("~ /");                       // awk's
    if (begins && !compares &&
        (after.empty() || std::string_view("/ \t\n\"';)&|").find(after) != std::string_view::npos))
      words_.insert("HOME");
  }
}

/// Whether the mere name is enough to ask for it: a function is called by that, `env | grep NAME` looks for it, and
/// programs read HOME by themselves.
bool ScriptWords::is_named_by_a_word(std::string_view variable) const {
  return name_in_scripts(variable) != variable || lists_variables_ || variable == "HOME" ||
         may_be_an_elements(variable);
}

bool ScriptWords::names(std::string_view variable) const {
  const std::string_view name = name_in_scripts(variable);
  if (!has(name)) return false;
  const bool is_hearths = kind_ == Kind::hearths || kind_ == Kind::own;
  if (is_hearths && !is_named_by_a_word(variable) && !reading_of(text_, name, kind_ == Kind::hearths)) return false;
  const bool is_a_word_too = name.size() <= k_short_name || name == "TERM";  // which is a signal as well
  if (!is_hearths && is_a_word_too && !plainly_named(text_, name)) return false;
  return !(kind_ == Kind::may_be_data && is_of_session(variable));
}

std::size_t ScriptWords::line_naming(std::string_view variable) const {
  const std::string_view name = name_in_scripts(variable);
  const bool is_hearths = kind_ == Kind::hearths || kind_ == Kind::own;
  std::optional<Occurrence> found;
  if (is_hearths && !is_named_by_a_word(variable)) found = reading_of(text_, name, kind_ == Kind::hearths);
  if (!found) found = plainly_named(text_, name);  // rather than a comment's word
  if (!found) found = next_word(text_, name);
  if (!found) return 0;
  const std::string_view head = found->head();
  return static_cast<std::size_t>(std::count(head.begin(), head.end(), '\n')) + 1;
}

bool counts(const std::string& variable, const Mentions& mentions, const std::set<std::string>& passed) {
  if (never_counts(variable)) return false;
  const bool is_handed_by_name = mentions.is_hearths && (may_be_an_elements(variable) || is_locale(variable));
  const bool is_for_programs = always_counts(variable) && !is_handed_by_name;
  if (is_for_programs || passed.count(variable) > 0) return true;
  if (mentions.names.count(variable) > 0 || (passed.count("*") > 0 && !is_of_builder(variable))) return true;
  return mentions.lists_variables && (passed.count("*") > 0 || !(is_of_session(variable) || is_of_builder(variable)));
}

Facts environment_facts(const Environment& environment, const Mentions& mentions, const std::set<std::string>& passed,
                        const DigestOfVariable& digest) {
  Facts facts;
  for (const auto& [name, value] : environment) {
    if (counts(name, mentions, passed)) facts[cat("env ", name)] = digest(name, value);
  }
  return facts;
}

std::vector<fs::path> input_paths(const std::string& variable, const std::string& value) {
  if (k_session.count(variable) > 0 || never_counts(variable) || k_no_inputs.count(variable) > 0 ||
      variable.starts_with("BASH_FUNC_")) {
    return {};
  }
  std::vector<fs::path> paths = evidence::paths_in(value);
  std::erase_if(paths, [](const fs::path& path) { return is_inside(path.string(), "/hearth"); });
  return paths;
}

namespace {

/// Whoever has set none is to know whose it is, and that nothing of both builds is shared by it.
constexpr const char* k_of_recordings = "a build with --record, --locked or --offline has one of Hearth's";

/// A fact that is not what it was, and what happened to it.
using ChangedFact = std::pair<std::string, std::string_view>;
constexpr std::string_view k_is_gone = "is gone";
constexpr std::string_view k_no_input = "is no input of it any more";

std::vector<ChangedFact> changed_facts(const Facts& before, const Facts& now) {
  std::vector<ChangedFact> changed;
  for (const auto& [fact, digest] : before) {
    const auto found = now.find(fact);
    if (found == now.end()) {
      changed.emplace_back(fact, k_is_gone);
    } else if (found->second != digest) {
      changed.emplace_back(fact, "changed");
    }
  }
  for (const auto& [fact, digest] : now) {
    if (before.count(fact) == 0) changed.emplace_back(fact, "is new");
  }
  return changed;
}

/// That a directory's names are others says nothing where it is said which file is new, or gone.
bool is_said_by_another(const std::string& fact, const std::vector<ChangedFact>& changed) {
  if (fact_kind(fact) == "elements")
    return std::any_of(changed.begin(), changed.end(),
                       [](const auto& each) { return fact_kind(each.first) == "element"; });
  if (fact_kind(fact) != "list") return false;
  const std::string begin = cat("hook ", fact_name(fact), "/");
  return std::any_of(changed.begin(), changed.end(),
                     [&](const auto& each) { return each.first.starts_with(begin) && each.second != "changed"; });
}

}  // namespace

std::vector<std::string> describe_differences(const Facts& before, const Facts& now, const PlaceOfFact& place_of) {
  std::vector<ChangedFact> changed = changed_facts(before, now);
  // Variables first: whoever changed one looks for its name, and only the first sentences are told.
  std::stable_partition(changed.begin(), changed.end(),
                        [](const auto& each) { return fact_kind(each.first) == "env"; });
  // What it depends on no more is no change that somebody made.
  for (auto& [fact, what] : changed) {
    if (what == k_is_gone && place_of && place_of(fact).is_there) what = k_no_input;
  }
  std::stable_partition(changed.begin(), changed.end(), [](const auto& each) { return each.second != k_no_input; });
  std::vector<std::string> sentences;
  std::string of_all;  // of elements, as a whole, is told last
  for (const auto& [fact, what] : changed) {
    if (is_said_by_another(fact, changed)) continue;
    if (fact_kind(fact) == "elements") {
      of_all = sentence(fact, "changed");
      continue;
    }
    std::string place = place_of && what != k_no_input ? place_of(fact).text : "";
    if (fact == "env APT_CONFIG" && what != "changed") place = k_of_recordings;
    sentences.push_back(cat(sentence(fact, what), place.empty() ? "" : cat(" (", place, ")")));
  }
  if (!of_all.empty()) sentences.push_back(of_all);
  return sentences;
}

}  // namespace hearth::builder
