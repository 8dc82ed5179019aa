#include "agent/net/options.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

namespace {

constexpr const char* k_about =
    "Configures the machine's network from a YAML or JSON file. Only what changed is\nrestarted.";

constexpr const char* k_exit_codes =
    "Exit codes: 0 done, 1 failed, 2 wrong usage. With --detailed-exit-codes a sum of: 1 error, 2 files changed,\n"
    "4 network_config failed, 8 fallback_config failed, 16 minimum_config failed, 32 remove_config failed, 64 purge\n"
    "failed; 0 is then: nothing had to change.";

const std::vector<cli::Option>& option_table() {
  static const std::vector<cli::Option> table = {
      {"help", 'h', "", "show this help and exit"},
      {"config-file", 'c', "FILE", "the configuration; default /etc/os-net-config/config.yaml"},
      {"mapping-file", 'm', "FILE", "aliases of network cards; default /etc/os-net-config/mapping.yaml"},
      {"interfaces", 'i', "[NAME...]", "print which devices the names stand for, as JSON, and exit"},
      {"root-dir", 'r', "DIR", "prefix of the files that are written"},
      {"provider", 'p', "NAME", "eni, networkd or ifcfg; default: what the machine has"},
      {"purge-provider", 0, "NAME", "first remove what this provider has for the devices of network_config"},
      {"detailed-exit-codes", 0, "", "exit with a sum of bits, see below"},
      {"exit-on-validation-errors", 0, "", "do nothing when the configuration fails its schema"},
      {"debug", 'd', "", "log everything"},
      {"verbose", 'v', "", "log what is done"},
      {"version", 0, "", "show the version and exit"},
      {"noop", 0, "", "print the files that would change, touch nothing"},
      {"no-activate", 0, "", "write the files, start and stop nothing"},
      {"cleanup", 0, "", "also stop and remove what is configured but not in network_config"},
      {"persist-mapping", 0, "", "rename the devices to their aliases"},
      {"remove-config", 0, "", "remove the devices of the section remove_config first"},
      {"minimum-config", 0, "", "apply the section minimum_config first"},
      {"no-network-config", 0, "", "leave the section network_config out"},
      {"no-fallback-config", 0, "", "don't apply fallback_config when network_config fails"},
      {"check", 0, "URL", "put everything back unless URL and the gateways answer afterwards"},
      {"check-timeout", 0, "SECONDS", "how long --check tries; default 60"},
  };
  return table;
}

bool is_option_word(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

bool is_interfaces_option(const std::string& word) {
  return word == "-i" || (word.size() > 3 && std::string_view("--interfaces").substr(0, word.size()) == word);
}

/// -i and the words behind it are taken out of `words`.
void take_interfaces(NetOptions& options, std::vector<std::string>& words) {
  std::vector<std::string> others;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_interfaces_option(words[i])) {
      others.push_back(words[i]);
      continue;
    }
    options.report_interfaces = true;
    while (i + 1 < words.size() && !is_option_word(words[i + 1])) options.interfaces.push_back(words[++i]);
  }
  words = std::move(others);
}

void take_check(NetOptions& options, const cli::Arguments& arguments) {
  if (const std::optional<std::string> url = arguments.value("check")) {
    const Result<Url> parsed = parse_url(*url);
    if (!parsed) throw Error(ErrorKind::usage, cat("--check: ", parsed.error().what));
    options.check = *parsed;
  }
  if (const std::optional<std::string> text = arguments.value("check-timeout")) {
    const std::optional<std::uint64_t> seconds = parse_number(*text);
    if (!seconds || *seconds > 86400)
      throw Error(ErrorKind::usage, cat("--check-timeout: '", *text, "' is no number of seconds"));
    options.patience = std::chrono::seconds(*seconds);
  }
}

void take_values(NetOptions& options, const cli::Arguments& arguments) {
  options.config_file = arguments.value_or("config-file", options.config_file);
  options.mapping_file = arguments.value_or("mapping-file", options.mapping_file);
  options.root = arguments.value_or("root-dir", "");
  while (!options.root.empty() && options.root.back() == '/') options.root.pop_back();
  options.provider = arguments.value_or("provider", "");
  options.purge_provider = arguments.value_or("purge-provider", "");
}

}  // namespace

NetOptions parse_net_options(const std::vector<std::string>& words) {
  NetOptions options;
  std::vector<std::string> rest = words;
  take_interfaces(options, rest);
  const cli::Arguments arguments = cli::parse_options(option_table(), rest);
  if (!arguments.operands().empty()) {
    throw Error(ErrorKind::usage, cat("unrecognized arguments: ", join(arguments.operands(), " ")));
  }
  for (const std::string& name : arguments.values("interfaces")) {  // -iNAME, --interfaces=NAME
    options.report_interfaces = true;
    options.interfaces.push_back(name);
  }
  take_values(options, arguments);
  take_check(options, arguments);
  if (arguments.has("verbose")) options.log_level = LogLevel::info;
  if (arguments.has("debug")) options.log_level = LogLevel::debug;
  const std::vector<std::pair<const char*, bool*>> flags = {
      {"help", &options.help},
      {"version", &options.version},
      {"detailed-exit-codes", &options.detailed_exit_codes},
      {"exit-on-validation-errors", &options.exit_on_validation_errors},
      {"noop", &options.noop},
      {"cleanup", &options.cleanup},
      {"persist-mapping", &options.persist_mapping},
      {"remove-config", &options.remove_config},
      {"minimum-config", &options.minimum_config}};
  for (const auto& [name, flag] : flags) *flag = arguments.has(name);
  options.activate = !arguments.has("no-activate");
  options.network_config = !arguments.has("no-network-config");
  options.fallback_config = !arguments.has("no-fallback-config");
  return options;
}

std::string net_help() {
  return cat("usage: os-net-config [options]\n\n", k_about, "\n\noptions:\n", cli::options_help(option_table()), "\n",
             k_exit_codes, "\n");
}

cli::Command os_net_config_command() {
  return {.words = "os-net-config",
          .summary = "configures the machine's network",
          .details = cat(k_about, "\n\n", k_exit_codes),
          .options = option_table()};
}

}  // namespace hearth::agent::net
