#include "metadata/live/serve_command.hpp"

#include <optional>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/first_start.hpp"
#include "base/sys/secret.hpp"
#include "base/text.hpp"
#include "metadata/live/compiled_service.hpp"
#include "metadata/live/service_options.hpp"
#include "metadata/live/stack_service.hpp"
#include "metadata/live/timed_log.hpp"
#include "metadata/serve/audit_log.hpp"

namespace hearth::metadata::live {

namespace {

/// The files of --tls-certificate and --tls-key; nothing where neither is given. Half of them would be no TLS at all.
std::optional<TlsFiles> tls_files(const cli::Arguments& arguments) {
  const bool certificate = arguments.has("tls-certificate");
  if (certificate != arguments.has("tls-key")) {
    throw Error(ErrorKind::usage, certificate ? "--tls-certificate without --tls-key would serve without TLS"
                                              : "--tls-key without --tls-certificate: which certificate?")
        .hint("Give both, or neither to serve without TLS.");
  }
  if (!certificate) return std::nullopt;
  return TlsFiles{*arguments.value("tls-certificate"), *arguments.value("tls-key")};
}

std::string proxy_secret(const cli::Arguments& arguments) {
  const auto file = arguments.value("proxy-secret-file");
  if (!file) return arguments.value_or("proxy-secret", "");
  if (arguments.has("proxy-secret"))
    throw Error(ErrorKind::usage, "give --proxy-secret-file or --proxy-secret, not both");
  const std::optional<std::string> text = read_small_file(*file);
  if (!text) throw Error(ErrorKind::not_found, cat("--proxy-secret-file: there is no file ", *file));
  std::string secret(trim(*text));
  if (secret.empty()) throw Error(ErrorKind::input, cat(*file, " is empty: nobody could sign with it"));
  return secret;
}

/// What everybody on the network could read is sent only where that was said, and told at the start.
void require_word_for_clear_text(const cli::Arguments& arguments, const std::string& address, bool with_tls,
                                 Logger& log) {
  if (with_tls || address.rfind("127.", 0) == 0 || address == "::1") return;
  if (!arguments.has("without-tls")) {
    throw Error(ErrorKind::usage,
                cat("--listen ", address, " without TLS: everybody on the way could read tokens, keys and metadata"))
        .hint("Give --tls-certificate and --tls-key, or --without-tls for a network that is yours alone.");
  }
  log.warning(cat("listening on ", address, " without TLS: tokens, keys and metadata are sent in the clear"));
}

/// A compiled directory: documents and signals, no engine.
int serve_compiled(const cli::Arguments& arguments, const std::string& directory) {
  forbid_dumps();
  const SystemClock clock;
  FdLogger standard_error(2);
  TimedLogger log(standard_error, clock);
  const fs::path state = arguments.value_or("state", "/var/lib/hearth/metadata");
  FirstStart first(state);
  RealFileSystem().make_directories(state, 0700);
  first.hold();
  CompiledService service(directory, state / "signals.jsonl", clock, log);
  AuditLog audit((state / "audit.log").string(), clock);
  const std::string address = arguments.value_or("listen", "127.0.0.1");
  const std::optional<TlsFiles> tls = tls_files(arguments);
  const TlsFiles* with_tls = tls ? &*tls : nullptr;
  require_word_for_clear_text(arguments, address, with_tls != nullptr, log);
  HttpServer server({}, clock, log, &audit);
  server.take_signals();
  tell_port("cfn", address, server.listen("cfn", address, port_option(arguments, "cfn-port", 8000), service, with_tls));
  tell_port("objects", address,
            server.listen("objects", address, port_option(arguments, "objects-port", 8080), service, with_tls));
  server.every(std::chrono::seconds(1), [&] { service.refresh(); });
  first.happened();
  server.run(true);
  return 0;
}

int serve(const cli::Arguments& arguments) {
  if (const auto directory = arguments.value("compiled")) return serve_compiled(arguments, *directory);
  forbid_dumps();
  const SystemClock clock;
  FdLogger standard_error(2);
  TimedLogger log(standard_error, clock);
  ServiceSettings settings;
  settings.state = arguments.value_or("state", "/var/lib/hearth/metadata");
  settings.database = arguments.value_or("database", "");
  if (settings.database.empty() && arguments.has("database"))
    throw Error(ErrorKind::usage, "--database: the URL is empty")
        .hint("postgresql://USER@HOST/NAME; without --database it is SQLite in the state directory.");
  settings.seal_key = arguments.value_or("seal-key", "");
  ServicePorts ports = service_ports(arguments, arguments.value_or("listen", "127.0.0.1"));
  const std::optional<TlsFiles> tls = tls_files(arguments);
  require_word_for_clear_text(arguments, ports.address, tls.has_value(), log);
  const bool anywhere = ports.address == "0.0.0.0" || ports.address == "::";
  if (anywhere && !arguments.has("public")) {
    throw Error(ErrorKind::usage,
                cat("--listen ", ports.address, " without --public: agents would be told to go to ", ports.address))
        .hint("Say by --public under which name or address agents reach this machine.");
  }
  settings.urls = public_urls(tls ? "https" : "http", arguments.value_or("public", ports.address), ports);
  settings.provides_machines = arguments.has("provide-machines");
  const std::string after_failure = arguments.value_or("on-failure", "abort");
  if (after_failure != "abort" && after_failure != "continue")
    throw Error(ErrorKind::usage, cat("--on-failure ", after_failure, ": abort or continue"));
  settings.goes_on_after_failure = after_failure == "continue";
  settings.trust_loopback = arguments.has("trust-loopback");
  settings.machines = arguments.value_or("machines", "");
  settings.proxy_secret = proxy_secret(arguments);
  settings.limits = request_limits(arguments);
  FirstStart first(settings.state);
  StackService service(settings, clock, log);
  ports.serves_ec2 = arguments.has("machines") || arguments.has("ec2-port");
  ports.ec2 = port_option(arguments, "ec2-port", 80);
  HttpServer server({}, clock, log, &service.audit());
  server.take_signals();
  for (const auto& [name, number] : service.listen(server, ports, tls ? &*tls : nullptr)) {
    tell_port(name, ports.address, number);
  }
  first.happened();
  server.run(true);
  return 0;
}

}  // namespace

cli::Command serve_command() {
  cli::Command command = {
      "metadata serve",
      "",
      "run the stack engine and serve its metadata",
      "Serves Heat's CFN API, Swift's TempURLs, Heat's orchestration API, a small Keystone for agents and, with "
      "--ec2-port or --machines, EC2 metadata of the stacks' servers and of the file's machines; takes signals and "
      "drives stacks. With --compiled it serves documents that don't change and writes signals to signals.jsonl in "
      "--state. "
      "State is kept in DIR/state.db, or in PostgreSQL with --database, sealed with the key in DIR/seal-key (`hearth "
      "metadata seal rotate`): keep both, for neither is worth anything without the other. Requests are logged "
      "in DIR/audit.log (`hearth metadata audit`), events of stacks with event_sinks in DIR/events/TARGET.jsonl, "
      "people's token is in "
      "DIR/api-token (X-Auth-Token; `hearth metadata token` makes others). Prints a line for each port, then serves "
      "until SIGTERM; SIGHUP has it look at its certificates at once.",
      {{"state", 0, "DIR", "where state is kept (/var/lib/hearth/metadata)"},
       {"compiled", 0, "DIR", "serve what `hearth metadata compile -o DIR` made, in place of live stacks"},
       {"database", 0, "URL", "postgresql://USER@HOST/NAME in place of DIR/state.db"},
       {"seal-key", 0, "FILE",
        "the key by which the database is sealed, in place of DIR/seal-key: of servers that take turns with one "
        "database "
        "all need the same"},
       {"listen", 0, "ADDRESS", "the address to listen on (127.0.0.1)"},
       {"public", 0, "HOST", "under which agents reach it (the address listened on)"},
       {"cfn-port", 0, "PORT", "CFN API (8000)"},
       {"objects-port", 0, "PORT", "objects (8080)"},
       {"heat-port", 0, "PORT", "orchestration API (8004)"},
       {"identity-port", 0, "PORT", "Keystone for agents (5000)"},
       {"ec2-port", 0, "PORT", "EC2 metadata (80)"},
       {"machines", 0, "FILE", "what machines learn from EC2 metadata, by address (JSON)"},
       {"provide-machines", 0, "",
        "servers that are not deployed already wait until somebody says that they are there"},
       {"on-failure",
        0,
        "abort|continue",
        "whether a failure ends all that runs beside it (abort)",
        {"abort", "continue"}},
       {"proxy-secret-file", 0, "FILE", "accept X-Instance-ID signed with the text in FILE"},
       {"proxy-secret", 0, "TEXT", "the same, but that everybody on this machine can read it in the list of processes"},
       {"trust-loopback", 0, "", "let everybody on this machine use the orchestration API without a token"},
       {"without-tls", 0, "", "send tokens, keys and metadata in the clear though --listen is no loopback address"},
       {"tls-certificate", 0, "FILE", "serve TLS with this chain (PEM), anew when it is renewed"},
       {"tls-key", 0, "FILE", "and this key"}},
      serve};
  for (cli::Option& each : request_options()) command.options.push_back(std::move(each));
  return command;
}

}  // namespace hearth::metadata::live
