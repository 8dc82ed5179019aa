#include "agent/collect/option_table.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace hearth::agent {

namespace {

std::vector<SettingRow> default_rows() {
  using enum SettingType;
  return {
      {"DEFAULT", "command", "command", 'c', text, {}, "shell line to run on changes; makes the program run for ever"},
      {"DEFAULT", "cachedir", "cachedir", 0, text, {"/var/lib/os-collect-config"}, "where collected metadata are kept"},
      {"DEFAULT", "backup_cachedir", "backup-cachedir", 0, text, {"/var/run/os-collect-config"}, "a copy of the cache"},
      {"DEFAULT", "collectors", "", 0, list, {"heat_local", "ec2", "cfn", "heat", "request", "local", "zaqar"}, ""},
      {"DEFAULT", "one_time", "one-time", 0, boolean, {"false"}, "one round, then exit"},
      {"DEFAULT", "min_polling_interval", "min-polling-interval", 0, number, {"1"}, "first pause, in seconds"},
      {"DEFAULT", "polling_interval", "polling-interval", 'i', number, {"30"}, "longest pause, in seconds"},
      {"DEFAULT",
       "reset_interval_on_change",
       "reset-interval-on-change",
       0,
       boolean,
       {"true"},
       "start again with the first pause after a change was applied"},
      {"DEFAULT", "print_cachedir", "print-cachedir", 0, boolean, {"false"}, "print the cache directory and exit"},
      {"DEFAULT", "force", "force", 0, boolean, {"false"}, "run the command without changes too; implies --one-time"},
      {"DEFAULT", "print", "print", 0, boolean, {"false"}, "print what is collected; store and run nothing"},
      {"DEFAULT", "deployment_key", "deployment-key", 0, list, {"deployments"}, "top-level keys to explode"},
      {"DEFAULT", "splay", "splay", 0, number, {"0"}, "sleep at random up to so many seconds before the first round"},
      {"DEFAULT", "debug", "debug", 'd', boolean, {"false"}, "log debug messages too"},
      {"DEFAULT", "log_file", "log-file", 0, text, {}, "log into this file instead of stderr"},
      {"DEFAULT", "log_dir", "log-dir", 0, text, {}, "where a relative log file lies"},
      {"DEFAULT",
       "log_config_append",
       "log-config-append",
       0,
       text,
       {},
       "a file in the format of Python's logging.config, instead of the other logging options"},
      {"DEFAULT", "log_date_format", "log-date-format", 0, text, {"%Y-%m-%d %H:%M:%S"}, "strftime format of log lines"},
      {"DEFAULT", "use_syslog", "use-syslog", 0, boolean, {"false"}, "log to syslog"},
      {"DEFAULT", "syslog_log_facility", "syslog-log-facility", 0, text, {"LOG_USER"}, "syslog facility"},
      {"DEFAULT", "use_journal", "use-journal", 0, boolean, {"false"}, "log to the systemd journal"},
      {"DEFAULT", "use_json", "use-json", 0, boolean, {"false"}, "log lines are JSON objects"},
      {"DEFAULT", "watch_log_file", "watch-log-file", 0, boolean, {"false"}, "reopen the log file when it was moved"},
      {"DEFAULT", "use_stderr", "", 0, boolean, {"false"}, "log to stderr besides a log file"},
  };
}

std::vector<SettingRow> web_rows() {
  using enum SettingType;
  return {
      {"ec2", "metadata_url", "ec2-metadata-url", 0, text, {"http://169.254.169.254/latest/meta-data"}, "EC2 metadata"},
      {"ec2", "timeout", "ec2-timeout", 0, number, {"10"}, "seconds to connect and read"},
      {"cfn", "metadata_url", "cfn-metadata-url", 0, text, {}, "CloudFormation API"},
      {"cfn",
       "heat_metadata_hint",
       "cfn-heat-metadata-hint",
       0,
       text,
       {"/var/lib/heat-cfntools/cfn-metadata-server"},
       "file that holds the URL where none is set"},
      {"cfn", "ca_certificate", "cfn-ca_certificate", 0, text, {}, "CA bundle"},
      {"cfn", "stack_name", "cfn-stack-name", 0, text, {}, "stack to describe"},
      {"cfn", "access_key_id", "cfn-access-key-id", 0, text, {}, "access key"},
      {"cfn", "secret_access_key", "cfn-secret-access-key", 0, text, {}, "secret key"},
      {"cfn", "path", "cfn-path", 0, list, {}, "RESOURCE.FIELD[.KEY…]"},
      {"cfn",
       "deployment_key",
       "cfn-deployment-key",
       0,
       list,
       {"deployments"},
       "keys to explode, besides --deployment-key"},
      {"cfn", "timeout", "cfn-timeout", 0, number, {"10"}, "seconds to connect and read"},
      {"request", "metadata_url", "request-metadata-url", 0, text, {}, "URL of a JSON object"},
      {"request", "timeout", "request-timeout", 0, number, {"10"}, "seconds to connect and read"},
      {"local", "path", "local-path", 0, list, {"/var/lib/os-collect-config/local-data"}, "directory of JSON files"},
      {"heat_local", "path", "heat_local-path", 0, list, {"/var/lib/heat-cfntools/cfn-init-data"}, "JSON file"},
  };
}

std::vector<SettingRow> keystone_rows() {
  using enum SettingType;
  return {
      {"heat", "user_id", "heat-user-id", 0, text, {}, "user"},
      {"heat", "password", "heat-password", 0, text, {}, "password"},
      {"heat", "project_id", "heat-project-id", 0, text, {}, "project"},
      {"heat", "auth_url", "heat-auth-url", 0, text, {}, "Keystone"},
      {"heat", "stack_id", "heat-stack-id", 0, text, {}, "NAME/UUID of the stack"},
      {"heat", "resource_name", "heat-resource-name", 0, text, {}, "resource to poll"},
      {"heat", "region_name", "heat-region-name", 0, text, {}, "region of the endpoint"},
      {"zaqar", "user_id", "zaqar-user-id", 0, text, {}, "user"},
      {"zaqar", "password", "zaqar-password", 0, text, {}, "password"},
      {"zaqar", "project_id", "zaqar-project-id", 0, text, {}, "project"},
      {"zaqar", "auth_url", "zaqar-auth-url", 0, text, {}, "Keystone"},
      {"zaqar", "queue_id", "zaqar-queue-id", 0, text, {}, "queue to read"},
      {"zaqar", "region_name", "zaqar-region-name", 0, text, {}, "region of the endpoint"},
      {"zaqar", "use_websockets", "zaqar-use-websockets", 0, boolean, {"false"}, "use a websocket"},
      {"zaqar",
       "ssl_certificate_validation",
       "zaqar-ssl-certificate-validation",
       0,
       boolean,
       {"false"},
       "check certificates"},
      {"zaqar", "ca_file", "zaqar-ca-file", 0, text, {}, "CA bundle"},
      {"keystone", "cache_dir", "keystone-cache_dir", 0, text, {}, "directory for tokens"},
      {"keystone", "cache_ttl", "keystone-cache_ttl", 0, number, {"1800"}, "seconds to keep a token"},
  };
}

std::vector<SettingRow> all_rows() {
  using enum SettingType;
  std::vector<SettingRow> rows = default_rows();
  for (std::vector<SettingRow> more : {web_rows(), keystone_rows()}) {
    std::move(more.begin(), more.end(), std::back_inserter(rows));
  }
  return rows;
}

/// What stands for the value in help; a flag has none.
std::string value_name(const SettingRow& row) {
  switch (row.type) {
    case SettingType::boolean: return "";
    case SettingType::number: return "NUMBER";
    case SettingType::text:
    case SettingType::list: break;
  }
  return "VALUE";
}

}  // namespace

const std::vector<SettingRow>& setting_rows() {
  static const std::vector<SettingRow> rows = all_rows();
  return rows;
}

const SettingRow* find_row(std::string_view group, std::string_view name) {
  const std::vector<SettingRow>& rows = setting_rows();
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const SettingRow& row) { return row.group == group && row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

std::string inverse_option(const SettingRow& row) {
  const std::size_t own = row.group == "DEFAULT" ? 0 : row.group.size() + 1;
  return cat(row.option.substr(0, own), "no", row.option.substr(own));
}

const std::vector<OptionAlias>& option_aliases() {
  static const std::vector<OptionAlias> aliases = {{"logfile", "log-file"},
                                                   {"logdir", "log-dir"},
                                                   {"log-config", "log-config-append"},
                                                   {"log_config", "log-config-append"}};
  return aliases;
}

std::vector<cli::Option> command_line_table() {
  std::vector<cli::Option> table = {{"config-file", 0, "PATH", "configuration file; may be repeated"},
                                    {"config-dir", 0, "DIR", "directory whose *.conf files are read after the files"},
                                    {"version", 0, "", "show the version"}};
  for (const SettingRow& row : setting_rows()) {
    if (row.option.empty()) continue;
    table.push_back({std::string(row.option), row.letter, value_name(row), std::string(row.help)});
    if (row.type == SettingType::boolean)
      table.push_back({inverse_option(row), 0, "", cat("the inverse of --", row.option)});
  }
  for (const OptionAlias& alias : option_aliases()) {
    table.push_back({std::string(alias.alias), 0, "VALUE", cat("the same as --", alias.option)});
  }
  return table;
}

std::string environment_name(const SettingRow& row) {
  std::string name = cat("OS_", row.group, "__", row.name);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return name;
}

}  // namespace hearth::agent
