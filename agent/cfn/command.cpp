#include "agent/cfn/command.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>

#include "agent/cfn/hup.hpp"
#include "agent/cfn/init.hpp"
#include "agent/cfn/log.hpp"
#include "agent/cfn/metadata.hpp"
#include "agent/cfn/signal.hpp"
#include "base/cli/command.hpp"
#include "base/error.hpp"
#include "base/net/web_client.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

using cli::Arguments;
using cli::Option;
using Words = std::vector<std::string>;

/// The real machine, with the log of one program.
struct Machine {
  Machine(const std::string& program, LogLevel threshold, LogLevel echo)
      : log(cat("/var/log/", program, ".log"), threshold, echo, clock) {}
  [[nodiscard]] CfnWorld world() { return {files, runner, http, clock, log, current_environment()}; }

  SystemClock clock;
  RealFileSystem files;
  RealRunner runner{clock};
  WebClient http{clock, current_environment(), "hearth-agent/" HEARTH_VERSION};
  CfnLogger log;
};

std::vector<Option> metadata_options() {
  return {{"stack", 's', "NAME", "the stack"},
          {"resource", 'r', "ID", "the resource in it"},
          {"access-key", 0, "KEY", "access key of the API"},
          {"secret-key", 0, "KEY", "secret key of the API"},
          {"region", 0, "NAME", "region of the API"}};
}

MetadataRequest metadata_request_of(const Arguments& arguments) {
  return {.stack = arguments.value_or("stack", ""),
          .resource = arguments.value_or("resource", ""),
          .access_key = arguments.value_or("access-key", ""),
          .secret_key = arguments.value_or("secret-key", ""),
          .credential_file = arguments.value_or("credential-file", ""),
          .region = arguments.value_or("region", ""),
          .url = arguments.value_or("url", "")};
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

/// Every failure is in the log, which is where people look; the exit status is 1.
template <class Body>
int logged(Logger& log, const Body& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    log.error(error.what());
    return 1;
  }
}

int run_init(const Arguments& arguments) {
  Machine machine("cfn-init", LogLevel::debug, LogLevel::warning);
  return logged(machine.log, [&] {
    const std::optional<Metadata> metadata = retrieve_metadata(metadata_request_of(arguments), machine.world());
    if (!metadata) return 1;
    apply_init(metadata->content, arguments.value_or("configsets", ""), machine.world());
    return 0;
  });
}

int run_signal(const Arguments& arguments) {
  if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "one URL is needed");
  Machine machine("cfn-signal", LogLevel::debug, LogLevel::error);
  CfnSignal signal;
  signal.url = arguments.operands().front();
  signal.success = arguments.value_or("success", signal.success);
  signal.reason = arguments.value_or("reason", signal.reason);
  signal.data = arguments.value_or("data", signal.data);
  signal.exit_code = arguments.value_or("exit-code", "");
  if (signal.exit_code.empty()) signal.exit_code = arguments.value_or("exit", "");
  signal.insecure = arguments.has("insecure");
  return logged(machine.log, [&] {
    const std::optional<std::string> given = arguments.value("id");
    return send_cfn_signal(signal, given ? *given : instance_id(host_name(), machine.world()), machine.world());
  });
}

int run_get_metadata(const Arguments& arguments) {
  for (const char* name : {"stack", "resource"}) {
    if (!arguments.has(name)) throw Error(ErrorKind::usage, cat("option '--", name, "' is required"));
    if (!arguments.value(name)->empty()) continue;
    std::printf("%s must not be empty.\n", name == std::string("stack") ? "The Stack name" : "The Resource ID");
    return 1;
  }
  Machine machine("cfn-get-metadata", LogLevel::info, LogLevel::info);
  return logged(machine.log, [&] {
    const std::optional<Metadata> metadata = retrieve_metadata(metadata_request_of(arguments), machine.world());
    const Json* shown = metadata ? metadata_member(metadata->content, arguments.value_or("key", "")) : nullptr;
    const bool is_null = shown == nullptr || shown->is_null();
    if (!is_null) std::printf("%s\n", python_json(*shown).c_str());
    return 0;
  });
}

int run_hup_once(const Arguments& arguments) {
  Machine machine("cfn-hup", arguments.has("verbose") ? LogLevel::debug : LogLevel::info, LogLevel::error);
  return logged(machine.log, [&] {
    const HupConfig config = read_hup_config(machine.files, "/etc/cfn/cfn-hup.conf", "/etc/cfn/hooks.conf",
                                             arguments.value_or("config", "/etc/cfn/hooks.d"));
    return run_hup(config, machine.world());
  });
}

int run_cfn(const cli::Command& command, const Words& args) {
  const cli::Program program{command.words, command.summary, HEARTH_VERSION, {}};
  return cli::run_single(program, command, args);
}

}  // namespace

cli::Command cfn_init_command() {
  cli::Command command{.words = "cfn-init", .summary = "applies AWS::CloudFormation::Init", .run = run_init};
  command.options = metadata_options();
  command.options.push_back({"configsets", 'c', "NAMES", "configSets, comma separated (default)"});
  return command;
}

cli::Command cfn_signal_command() {
  return {.words = "cfn-signal",
          .operands = "URL",
          .summary = "signals a wait condition",
          .options = {{"success", 's', "true|false", "the status to report (true)"},
                      {"reason", 'r', "TEXT", "its reason"},
                      {"data", 'd', "TEXT", "data to send"},
                      {"id", 'i', "ID", "unique id of the signal (this machine's)"},
                      {"exit-code", 'e', "CODE", "a program's exit code; wins over --success"},
                      {"exit", 0, "CODE", "old name of --exit-code"},
                      {"insecure", 'k', "", "don't verify the server's certificate"}},
          .run = run_signal};
}

cli::Command cfn_get_metadata_command() {
  cli::Command command{
      .words = "cfn-get-metadata", .summary = "prints the metadata of a resource", .run = run_get_metadata};
  command.options = metadata_options();
  command.options.push_back({"credential-file", 0, "FILE", "file with AWSAccessKeyId= and AWSSecretKey="});
  command.options.push_back({"url", 'u', "URL", "of the API"});
  command.options.push_back({"key", 'k', "PATH", "print only this part: a.b.'c.d'"});
  return command;
}

cli::Command cfn_hup_command() {
  return {.words = "cfn-hup",
          .summary = "runs hooks when the metadata of a resource have changed",
          .options = {{"config", 'c', "DIR", "directory of hooks (/etc/cfn/hooks.d)"},
                      {"no-daemon", 'f', "", "accepted: it never is one"},
                      {"verbose", 'v', "", "log more"}},
          .run = run_hup_once};
}

int cfn_init_main(const Words& args) { return run_cfn(cfn_init_command(), args); }

int cfn_signal_main(const Words& args) { return run_cfn(cfn_signal_command(), args); }

int cfn_get_metadata_main(const Words& args) { return run_cfn(cfn_get_metadata_command(), args); }

int cfn_hup_main(const Words& args) { return run_cfn(cfn_hup_command(), args); }

}  // namespace hearth::agent
