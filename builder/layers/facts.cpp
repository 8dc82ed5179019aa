#include "builder/layers/facts.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/hash.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_digest_digits = 32;  // half a SHA-256: 128 bits

const std::set<std::string_view> k_session = {
    "COLUMNS",  "LINES",         "SHLVL",          "PWD",      "OLDPWD",   "TERM",    "LS_COLORS",
    "LESSOPEN", "LESSCLOSE",     "MAIL",           "GPG_TTY",  "WINDOWID", "DISPLAY", "COLORTERM",
    "EDITOR",   "PAGER",         "HISTFILE",       "LOGNAME",  "USER",     "HOME",    "TMPDIR",
    "TMP_DIR",  "INVOCATION_ID", "JOURNAL_STREAM", "NO_COLOR", "HOSTNAME", "SHELL",   "DEBUGINFOD_URLS",
    "CI",       "RUNNER_TEMP"};

const std::set<std::string_view> k_builder = {"IMAGE_NAME",
                                              "DIB_ARGS",
                                              "DIB_ENV",
                                              "IMAGE_ELEMENT",
                                              "IMAGE_ELEMENT_YAML",
                                              "ELEMENTS_PATH",
                                              "BASH_FUNC_get_image_element_array%%",
                                              "DIB_HEAT_METADATA",
                                              "DIB_CHECKSUM",
                                              "DIB_MIN_TMPFS",
                                              "DIB_NO_TMPFS",
                                              "DIB_OFFLINE",
                                              "DIB_ROOT_LABEL",
                                              "DIB_BOOT_LABEL",
                                              "DIB_MOUNTPOINTS",
                                              "FS_TYPE",
                                              "DIB_ROOT_FSTYPE",
                                              "SOURCE_DATE_EPOCH"};

constexpr std::string_view k_install_type = "HEARTH_INSTALL_TYPE";  // becomes a file of environment.d

/// Where things lie, which says nothing about what they are.
const std::set<std::string_view> k_never = {"_", "DIB_IMAGE_CACHE", "DIB_LOCKFILES", "HEARTH_INPUTS"};

constexpr std::array<std::string_view, 5> k_session_prefixes = {"XDG_", "SSH_", "DBUS_", "GITHUB_", "HEARTH_"};

/// A function of bash is named in scripts without what bash wraps around it.
std::string_view name_in_scripts(std::string_view variable) {
  static constexpr std::string_view begin = "BASH_FUNC_";
  static constexpr std::string_view end = "%%";
  if (variable.substr(0, begin.size()) != begin || variable.size() < begin.size() + end.size()) return variable;
  return variable.substr(begin.size(), variable.size() - begin.size() - end.size());
}

bool is_named(std::string_view variable, const std::vector<std::string>& texts) {
  const std::string_view name = name_in_scripts(variable);
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text.find(name) != std::string::npos; });
}

/// The fact's name without its kind, and what happened to it.
std::string sentence(const std::string& fact, std::string_view what) {
  const std::size_t blank = fact.find(' ');
  const std::string kind = fact.substr(0, blank);
  const std::string name = fact.substr(std::min(fact.size(), blank + 1));
  if (kind == "env") return cat("the variable ", name, " ", what);
  if (kind == "repository") return cat("the package repository ", name, " ", what);
  if (kind == "packages") return cat("the list of packages for ", name, " ", what);
  if (kind == "fetch") return cat("the download ", name, " ", what);
  if (kind == "host") return cat("the machine's ", name, " ", what);
  if (kind == "names") return cat("the set of files beside the hooks ", what);
  if (kind == "list") return cat("the directory ", name, " ", what);
  return cat(name, " ", what);
}

}  // namespace

std::string fact_digest(std::string_view value) {
  return hex_digest(HashKind::sha256, value).substr(0, k_digest_digits);
}

bool counts_only_when_named(std::string_view variable) {
  if (variable == k_install_type) return false;
  const auto begins_so = [&](std::string_view prefix) { return variable.substr(0, prefix.size()) == prefix; };
  return k_never.count(variable) > 0 || k_session.count(variable) > 0 || k_builder.count(variable) > 0 ||
         std::any_of(k_session_prefixes.begin(), k_session_prefixes.end(), begins_so);
}

Facts environment_facts(const Environment& environment, const std::vector<std::string>& texts, const FactKey& key) {
  Facts facts;
  for (const auto& [name, value] : environment) {
    if (k_never.count(name) > 0 || (counts_only_when_named(name) && !is_named(name, texts))) continue;
    facts[cat("env ", name)] = variable_digest(key, name, value);
  }
  return facts;
}

std::vector<std::string> describe_differences(const Facts& before, const Facts& now) {
  std::vector<std::string> sentences;
  for (const auto& [fact, digest] : before) {
    const auto found = now.find(fact);
    if (found == now.end()) {
      sentences.push_back(sentence(fact, "is gone"));
    } else if (found->second != digest) {
      sentences.push_back(sentence(fact, "changed"));
    }
  }
  for (const auto& [fact, digest] : now) {
    if (before.count(fact) == 0) sentences.push_back(sentence(fact, "is new"));
  }
  return sentences;
}

}  // namespace hearth::builder
