#include "metadata/live/serve_command.hpp"

#include <cstdio>

#include "base/error.hpp"
#include "base/net/http_server.hpp"
#include "base/sys/file.hpp"
#include "base/sys/lock.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "metadata/engine/engine.hpp"
#include "metadata/engine/sqlite_repository.hpp"
#include "metadata/live/heat_blueprint.hpp"
#include "metadata/rest/heat_api.hpp"
#include "metadata/rest/identity_api.hpp"
#include "metadata/serve/audit_log.hpp"
#include "metadata/serve/cfn_api.hpp"
#include "metadata/serve/ec2_api.hpp"
#include "metadata/serve/object_api.hpp"

namespace hearth::metadata::live {

namespace {

std::uint16_t port(const cli::Arguments& arguments, const std::string& option, std::uint16_t usual) {
  const std::optional<std::string> text = arguments.value(option);
  if (!text) return usual;
  const std::optional<std::uint64_t> number = parse_number(*text);
  if (!number || *number > 65535) throw Error(ErrorKind::usage, cat("--", option, " ", *text, ": no port"));
  return static_cast<std::uint16_t>(*number);
}

std::string url_of(const cli::Arguments& arguments, std::uint16_t number) {
  const std::string host = arguments.value_or("public", arguments.value_or("listen", "127.0.0.1"));
  const bool bare_ipv6 = host.find(':') != std::string::npos && host.front() != '[';
  return cat(arguments.has("tls-key") ? "https://" : "http://", bare_ipv6 ? cat("[", host, "]") : host, ":", number);
}

PublicUrls public_urls(const cli::Arguments& arguments) {
  PublicUrls urls;
  urls.cfn = url_of(arguments, port(arguments, "cfn-port", 8000));
  urls.heat = url_of(arguments, port(arguments, "heat-port", 8004));
  urls.objects = url_of(arguments, port(arguments, "objects-port", 8080));
  urls.identity = url_of(arguments, port(arguments, "identity-port", 5000));
  return urls;
}

/// People's token, made at the first start.
std::string api_token(const fs::path& state) {
  RealFileSystem files;
  const fs::path path = state / "api-token";
  const std::optional<std::string> kept = files.read(path);
  if (kept && !trim(*kept).empty()) return std::string(trim(*kept));
  const std::string token = random_hex(32);
  files.write(path, cat(token, "\n"), {.mode = 0600, .uid = {}, .gid = {}});
  return token;
}

fs::path state_directory(const cli::Arguments& arguments) {
  fs::path state = arguments.value_or("state", "/var/lib/hearth/metadata");
  RealFileSystem().make_directories(state, 0700);
  return state;
}

/// Everything that serving needs, in the order in which it is made.
class Service {
 public:
  explicit Service(const cli::Arguments& arguments)
      : state_(state_directory(arguments)),
        lock_(FileLock::try_acquire(state_ / "lock")),
        repository_((state_ / "state.db").string()),
        maker_(engine_secret(repository_)),
        engine_({repository_, maker_, clock_, log_}, public_urls(arguments)),
        audit_((state_ / "audit.log").string(), clock_),
        heat_(engine_, {api_token(state_), arguments.has("trust-loopback")}, clock_, log_),
        server_({}, clock_, log_, &audit_) {
    if (!lock_) throw Error(ErrorKind::io, cat("another process serves ", state_.string()));
    listen(arguments);
  }

  int run() {
    server_.every(std::chrono::seconds(1), [this] { engine_.tick(); });
    server_.run(true);
    return 0;
  }

 private:
  void listen(const cli::Arguments& arguments) {
    TlsFiles files{arguments.value_or("tls-certificate", ""), arguments.value_or("tls-key", "")};
    const TlsFiles* tls = files.key.empty() ? nullptr : &files;
    const std::string address = arguments.value_or("listen", "127.0.0.1");
    const auto open = [&](const std::string& name, std::uint16_t usual, HttpHandler& handler) {
      const std::uint16_t bound =
          server_.listen(name, address, port(arguments, cat(name, "-port"), usual), handler, tls);
      std::fputs(cat(name, " ", address, " ", bound, "\n").c_str(), stdout);
    };
    open("cfn", 8000, cfn_);
    open("objects", 8080, objects_);
    open("heat", 8004, heat_);
    open("identity", 5000, identity_);
    if (const std::optional<std::string> file = arguments.value("machines")) {
      machines_ = std::make_unique<FileMachines>(read_file(*file), *file);
      ec2_ = std::make_unique<Ec2Api>(*machines_, arguments.value_or("proxy-secret", ""), log_);
      open("ec2", 80, *ec2_);
    }
    std::fflush(stdout);
  }

  fs::path state_;
  SystemClock clock_;
  FdLogger log_{2};
  std::optional<FileLock> lock_;
  SqliteRepository repository_;
  HeatBlueprintMaker maker_;
  Engine engine_;
  AuditLog audit_;
  CfnApi cfn_{engine_, log_};
  ObjectApi objects_{engine_, clock_, log_};
  IdentityApi identity_{engine_, clock_, log_};
  HeatApi heat_;
  std::unique_ptr<FileMachines> machines_;
  std::unique_ptr<Ec2Api> ec2_;
  HttpServer server_;
};

}  // namespace

FileMachines::FileMachines(const std::string& text, const std::string& source) {
  const Json all = parse_json(text, source).value_or_throw();
  if (!all.is_object()) throw Error(ErrorKind::input, cat(source, ": an object of addresses is expected"));
  for (const auto& [address, row] : all.items()) {
    if (!row.is_object()) throw Error(ErrorKind::input, cat(source, ": ", address, " is no object"));
    machines_[address] = {row.value("meta_data", Json::object()), row.value("user_data", std::string()),
                          row.value("openstack", Json::object())};
  }
}

std::optional<Machine> FileMachines::machine_at(const std::string& address) const {
  const auto found = machines_.find(address);
  return found == machines_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Machine> FileMachines::machine_named(const std::string& instance_id) const {
  for (const auto& [address, machine] : machines_) {
    if (machine.meta_data.value("instance-id", "") == instance_id) return machine;
  }
  return std::nullopt;
}

cli::Command serve_command() {
  return {
      "metadata serve",
      "",
      "run the stack engine and serve its metadata",
      "Serves Heat's CFN API, Swift's TempURLs, Heat's orchestration API, a small Keystone for agents and, with "
      "--machines, EC2 metadata; takes signals and drives stacks. State is kept in DIR/state.db, requests are logged "
      "in DIR/audit.log, people's token is in DIR/api-token (X-Auth-Token). Prints a line for each port, then serves "
      "until SIGTERM.",
      {{"state", 0, "DIR", "where state is kept (/var/lib/hearth/metadata)"},
       {"listen", 0, "ADDRESS", "the address to listen on (127.0.0.1)"},
       {"public", 0, "HOST", "under which agents reach it (the address listened on)"},
       {"cfn-port", 0, "PORT", "CFN API (8000)"},
       {"objects-port", 0, "PORT", "objects (8080)"},
       {"heat-port", 0, "PORT", "orchestration API (8004)"},
       {"identity-port", 0, "PORT", "Keystone for agents (5000)"},
       {"ec2-port", 0, "PORT", "EC2 metadata (80)"},
       {"machines", 0, "FILE", "what machines learn from EC2 metadata, by address (JSON)"},
       {"proxy-secret", 0, "TEXT", "accept X-Instance-ID signed with this"},
       {"trust-loopback", 0, "", "let everybody on this machine use the orchestration API without a token"},
       {"tls-certificate", 0, "FILE", "serve TLS with this chain (PEM)"},
       {"tls-key", 0, "FILE", "and this key"}},
      [](const cli::Arguments& arguments) { return Service(arguments).run(); }};
}

}  // namespace hearth::metadata::live
