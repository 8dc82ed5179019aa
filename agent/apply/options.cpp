#include "agent/apply/options.hpp"

#include <algorithm>

#include "base/cli/options.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr std::string_view k_templates = "/usr/libexec/os-apply-config/templates";
constexpr std::string_view k_old_templates = "/opt/stack/os-apply-config/templates";
constexpr const char* k_about =
    "Reads and merges the JSON files named by -m, or by OS_CONFIG_FILES (separated by colons), and renders the\n"
    "template tree with them. Nothing is written unless every template renders.";

constexpr std::string_view k_oldest_templates = "/opt/stack/os-config-applier/templates";

const std::vector<std::string>& default_fallback() {
  static const std::vector<std::string> files = {"/var/cache/heat-cfntools/last_metadata",
                                                 "/var/lib/heat-cfntools/cfn-init-data",
                                                 "/var/lib/cloud/data/cfn-init-data"};
  return files;
}

const std::vector<cli::Option>& option_table() {
  static const std::vector<cli::Option> table = {
      {"help", 'h', "", "show this help and exit"},
      {"templates", 't', "DIR", "template root"},
      {"output", 'o', "DIR", "root directory for output (default: /)"},
      {"metadata", 'm', "[FILE...]", "metadata files, instead of $OS_CONFIG_FILES"},
      {"fallback-metadata", 0, "[FILE...]", "files that are read first, with the lowest priority"},
      {"validate", 'v', "", "render everything, write nothing"},
      {"print-templates", 0, "", "print the template root and exit"},
      {"subhash", 's', "A.B", "use this sub-object as the root of the metadata"},
      {"key", 0, "KEY", "print one value and exit"},
      {"type", 0, "TYPE",
       "fail unless the value of --key has this type: int, default, netaddress, netdevice, dsn, "
       "swiftdevices, username or raw"},
      {"key-default", 0, "VALUE", "print this when --key does not exist"},
      {"boolean-key", 0, "KEY", "exit 0 if the value is true, 1 if it is false, 255 if it is neither"},
      {"version", 0, "", "show the version and exit"},
      {"os-config-files", 0, "PATH", "JSON list of metadata files"},
      {"diff", 0, "", "show what would change, write nothing"},
      {"check", 0, "", "exit 1 if something would change, write nothing"},
      {"need-keys", 0, "", "a value that a template inserts and the metadata do not have is an error"},
      {"compat", 0, "LEVEL", "upstream (default), or strict: unclosed sections are errors, every -m counts"},
  };
  return table;
}

bool is_option_word(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

/// The full name when `word` is -m, --metadata or --fallback-metadata (or their abbreviation) without a value attached.
std::optional<std::string> list_option(const std::string& word) {
  if (word == "-m") return "metadata";
  if (word.size() < 3 || word.compare(0, 2, "--") != 0) return std::nullopt;
  for (const std::string name : {"metadata", "fallback-metadata"}) {
    if (name.compare(0, word.size() - 2, word, 2, std::string::npos) == 0) return name;
  }
  return std::nullopt;
}

/// The options that take a list, one entry for each time they were given, and the rest of the words.
struct SplitWords {
  std::vector<std::vector<std::string>> metadata;
  std::vector<std::vector<std::string>> fallback;
  std::vector<std::string> others;
};

SplitWords take_lists(const std::vector<std::string>& args) {
  SplitWords words;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::optional<std::string> name = list_option(args[i]);
    if (!name) {
      words.others.push_back(args[i]);
      continue;
    }
    std::vector<std::string> values;
    while (i + 1 < args.size() && !is_option_word(args[i + 1])) values.push_back(args[++i]);
    (*name == "metadata" ? words.metadata : words.fallback).push_back(std::move(values));
  }
  return words;
}

std::vector<std::string> joined(const std::vector<std::vector<std::string>>& lists, bool all) {
  if (lists.empty()) return {};
  if (!all) return lists.back();
  std::vector<std::string> files;
  for (const std::vector<std::string>& list : lists) files.insert(files.end(), list.begin(), list.end());
  return files;
}

std::string default_templates(const Environment& env, const FileReader& files, std::vector<std::string>& warnings) {
  const auto from_env = env.find("OS_CONFIG_APPLIER_TEMPLATES");
  if (from_env != env.end()) return from_env->second;
  if (files.status(std::string(k_templates))) return std::string(k_templates);
  for (const std::string_view old : {k_old_templates, k_oldest_templates}) {
    if (!files.status(std::string(old))) continue;
    warnings.push_back(cat("Template directory ", old, " is deprecated, use ", k_templates));
    return std::string(old);
  }
  return std::string(k_templates);
}

std::string default_list_file(const Environment& env) {
  const auto found = env.find("OS_CONFIG_FILES_PATH");
  return found == env.end() ? std::string(k_os_config_files) : found->second;
}

bool is_strict(const cli::Arguments& arguments, const Environment& env) {
  const auto from_env = env.find("HEARTH_AGENT_COMPAT");
  const std::string level = arguments.value_or("compat", from_env == env.end() ? "upstream" : from_env->second);
  if (level != "upstream" && level != "strict") throw Error(ErrorKind::usage, "--compat is upstream or strict");
  return level == "strict";
}

void take_lists_into(ApplyOptions& options, SplitWords words, const cli::Arguments& arguments) {
  for (const std::string& file : arguments.values("metadata"))
    words.metadata.push_back({file});  // -mFILE, --metadata=FILE
  for (const std::string& file : arguments.values("fallback-metadata")) words.fallback.push_back({file});
  options.metadata.files = joined(words.metadata, options.strict);
  options.metadata.fallback = words.fallback.empty() ? default_fallback() : joined(words.fallback, options.strict);
  if (!options.strict && words.metadata.size() > 1) {
    options.warnings.emplace_back("-m was given more than once: only the last one counts");
  }
}

}  // namespace

ApplyOptions parse_apply_options(const std::vector<std::string>& args, const Environment& env,
                                 const FileReader& files) {
  SplitWords words = take_lists(args);
  const cli::Arguments arguments = cli::parse_options(option_table(), words.others);
  if (!arguments.operands().empty()) {
    throw Error(ErrorKind::usage, cat("unrecognized arguments: ", join(arguments.operands(), " ")));
  }
  ApplyOptions options;
  options.help = arguments.has("help");
  options.version = arguments.has("version");
  options.strict = is_strict(arguments, env);
  take_lists_into(options, std::move(words), arguments);
  options.metadata.list_file = arguments.value_or("os-config-files", default_list_file(env));
  const std::optional<std::string> templates = arguments.value("templates");
  options.templates = templates ? *templates : default_templates(env, files, options.warnings);
  options.output = arguments.value_or("output", options.output);
  options.validate = arguments.has("validate");
  options.print_templates = arguments.has("print-templates");
  options.subhash = arguments.value_or("subhash", "");
  options.key = arguments.value_or("key", "");
  options.type = arguments.value_or("type", options.type);
  options.key_default = arguments.value("key-default");
  options.boolean_key = arguments.value_or("boolean-key", "");
  options.need_keys = arguments.has("need-keys");
  options.diff = arguments.has("diff");
  options.check = arguments.has("check");
  return options;
}

std::string apply_usage() { return "usage: os-apply-config [options]\n"; }

std::string apply_help() {
  return cat(apply_usage(), "\n", k_about, "\n\noptions:\n", cli::options_help(option_table()));
}

cli::Command os_apply_config_command() {
  return {.words = "os-apply-config",
          .summary = "renders templates from metadata",
          .details = k_about,
          .options = option_table()};
}

}  // namespace hearth::agent
