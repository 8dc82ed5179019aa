// Live stacks as a service that another room can hold: the engine, where it keeps its state, and the protocols around
// it. `hearth metadata serve` is this and an HttpServer; bootstrap drives it in its own process (metadata/README.md).
//
// All of it belongs to one thread: that of the HttpServer that listen() was given. Who is on another thread uses
// HttpServer::post().
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/net/http_server.hpp"
#include "base/net/listening.hpp"
#include "base/path.hpp"
#include "base/sys/trial.hpp"
#include "metadata/engine/engine.hpp"

namespace hearth {
class FileReader;
}

namespace hearth::metadata::live {

struct UploadRequest;

struct ServiceSettings {
  fs::path state;        ///< directory: the database, the audit log, the people's token
  std::string database;  ///< postgresql://…; empty = SQLite in `state`
  fs::path seal_key;     ///< the file of keys by which the database is sealed; empty = seal-key in `state`
  PublicUrls urls;
  bool provides_machines = false;      ///< servers that are no deployed ones wait for Engine::machine_came()
  bool goes_on_after_failure = false;  ///< for stacks that don't say `on_failure` themselves
  bool trust_loopback = false;         ///< whoever is on this machine needs no token
  std::string machines;                ///< file of machines for EC2 metadata, beside the stacks' own; may be empty
  std::string proxy_secret;            ///< accept X-Instance-ID signed with this; may be empty
  TrialLimits limits{};                ///< of what a request may have evaluated
};

struct ServicePorts {
  std::string address = "127.0.0.1";
  std::uint16_t cfn = 8000;
  std::uint16_t objects = 8080;
  std::uint16_t heat = 8004;
  std::uint16_t identity = 5000;
  bool serves_ec2 = false;
  std::uint16_t ec2 = 80;
  fs::path socket{};  ///< where Heat's API is served to this machine's people, too; empty = nowhere
  /// Those that were free when they were asked for: nobody else takes them until they are served.
  std::shared_ptr<std::map<std::uint16_t, ListeningSocket>> held{};
};

class StackService {
 public:
  /// Takes the state directory for itself. Throws Error when another process has it.
  StackService(const ServiceSettings& settings, const Clock& clock, Logger& log);
  StackService(const StackService&) = delete;
  StackService& operator=(const StackService&) = delete;
  ~StackService();

  /// Opens the ports and ticks once a second as long as the server runs. Name and port of each.
  std::vector<std::pair<std::string, std::uint16_t>> listen(HttpServer& server, const ServicePorts& ports,
                                                            const TlsFiles* tls = nullptr);
  /// What is done each second while the server runs.
  void tick();
  /// Of all that is asked: for the audit log, and for what is told of machines that ask in vain.
  [[nodiscard]] AccessLog& audit();

  /// What was overheard of the machine at an address: it is told where a deployment waits for it.
  void overheard(const std::string& address, const std::string& what);

  /// Makes the stack of templates on disk, or updates it when it is there. Its UUID. Throws Error and EngineError.
  std::string deploy(const UploadRequest& request, const FileReader& files);
  [[nodiscard]] Engine& engine();
  /// What this process may send as X-Auth-Token; people have others (rest/token_book.hpp).
  [[nodiscard]] const std::string& token() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace hearth::metadata::live
