#include "bootstrap/cli/own_engine.hpp"

#include "base/error.hpp"
#include "base/net/own_identity.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/cli/commands.hpp"
#include "bootstrap/cli/seed_tls.hpp"
#include "metadata/live/stack_client.hpp"

namespace hearth::bootstrap {

using metadata::live::url_host;

namespace {

/// How the ports of a state's engine are served. Machines in service ask at the URLs that they were given: it stays as
/// it was at the first start, unless a word says otherwise. What an older Hearth left has served in clear.
class EngineTransport {
 public:
  EngineTransport(const cli::Arguments& arguments, const fs::path& state, Logger& log) : file_(state / "transport") {
    if (arguments.has("plain-stacks") && arguments.has("tls-stacks"))
      throw Error(ErrorKind::usage, "--plain-stacks and --tls-stacks exclude each other");
    const bool is_new = !fs::exists(state / "state.db");
    const bool told_whom_to_trust = fs::exists(state / metadata::live::k_authority_file);
    const std::string before = is_new || told_whom_to_trust ? "tls" : "clear";
    const std::string kept(trim(RealFileSystem().read(file_).value_or(before)));
    const bool is_known = kept == "tls" || kept == "clear";
    if (!is_known && !arguments.has("plain-stacks") && !arguments.has("tls-stacks"))
      throw Error(ErrorKind::input,
                  cat(file_.string(), ", how the stack engine was served, holds neither tls nor clear"))
          .hint(cat("Say it by --tls-stacks or --plain-stacks, once; machines in service go on asking as before: ",
                    told_whom_to_trust ? "by TLS, as authority.pem beside it tells"
                                       : "in clear, as nothing beside it tells of TLS"));
    with_tls_ = arguments.has("tls-stacks") || (kept == "tls" && !arguments.has("plain-stacks"));
    if (!is_new && with_tls_ != (is_known ? kept == "tls" : told_whom_to_trust)) {
      log.warning(cat("the stack engine is served ", with_tls_ ? "by TLS" : "in clear",
                      " from now on: machines that ask ", with_tls_ ? "http" : "https",
                      ":// URLs get no answer until they are deployed anew"));
    }
    if (!with_tls_) {
      log.warning(cat("the stack engine is served in clear",
                      arguments.has("plain-stacks") ? "" : ", as it was: its machines ask at http:// URLs",
                      "; whoever overhears them has their tokens, and what configures them (--tls-stacks)"));
    }
  }
  [[nodiscard]] bool with_tls() const { return with_tls_; }
  /// Before the engine's database is made: without a word, that would be an older Hearth's.
  void keep() const {
    RealFileSystem().write(file_, with_tls_ ? "tls\n" : "clear\n", {.mode = 0600, .uid = {}, .gid = {}});
  }

 private:
  fs::path file_;
  bool with_tls_ = true;
};

}  // namespace

OwnEngine::OwnEngine(const cli::Arguments& arguments, const std::vector<std::string>& networks,
                     const fs::path& directory, const Clock& clock, Logger& log) {
  if (!arguments.has("engine")) return;
  const fs::path state = directory / "metadata";
  RealFileSystem files;
  files.make_directories(state, 0700);
  const EngineTransport transport(arguments, state, log);
  const std::string scheme = transport.with_tls() ? "https" : "http";
  ports = metadata::live::service_ports(arguments, stacks_address(arguments, networks));
  urls = metadata::live::public_urls(scheme, arguments.value_or("public", ports.address), ports);
  const fs::path authority = state / metadata::live::k_authority_file;
  if (transport.with_tls()) {
    tls = own_tls(arguments, networks, directory);
    urls.authority = files.read(own_authority_file(directory, "server")).value_or("");
    files.write(authority, urls.authority, {.mode = 0644, .uid = {}, .gid = {}});
    ca_file = authority.string();
  } else {
    files.remove(authority);
  }
  transport.keep();
  metadata::live::ServiceSettings settings;
  settings.state = state;
  settings.urls = urls;
  settings.database = database_option(arguments);
  settings.provides_machines = true;
  settings.trust_loopback = false;
  settings.limits = metadata::live::request_limits(arguments);
  service = std::make_unique<metadata::live::StackService>(settings, clock, log);
  url = cat(scheme, "://", is_any(ports.address) ? "127.0.0.1" : url_host(ports.address), ":", ports.heat, "/v1/admin");
}

std::size_t connections_of(const OwnEngine& engine) {
  if (!engine.service) return 2048;
  return engine.tls ? 8192 : 20000;
}

}  // namespace hearth::bootstrap
