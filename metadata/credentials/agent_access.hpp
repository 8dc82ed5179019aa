// By what an agent fetches its metadata and signals: the one place that knows each of Heat's transports. Whose secrets
// they are (of a compiled tree, or of the engine) the caller says; a transport that nobody serves is an Error.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/net/query.hpp"

namespace hearth::metadata {

/// Where agents reach the served protocols, without a slash at the end.
struct PublicUrls {
  std::string cfn = "http://127.0.0.1:8000";
  std::string heat = "http://127.0.0.1:8004";
  std::string objects = "http://127.0.0.1:8080";
  std::string identity = "http://127.0.0.1:5000";
  std::string region = "regionOne";
  std::string authority{};  ///< who signs for them (PEM), which machines are to trust; empty: one that they know
};

/// A stack, as agents name it.
struct AgentStack {
  std::string project;
  std::string name;
  std::string id;
};

/// The expiry that Heat gives its TempURLs: as late as 31 bits allow, less a minute.
constexpr std::int64_t k_never_expires = 2147483586;

struct AgentKey {
  std::string id;
  std::string secret;
};

/// The section os-collect-config of a server's metadata: {"collectors": [COLLECTOR, "local"], COLLECTOR: {FIELDS}}.
struct CollectSection {
  std::string collector;
  Parameters fields;
};

class AgentAccess {
 public:
  /// For one resource, a server or what signals. `temp_url_key` signs the account's TempURLs; `queue` is of Zaqar, and
  /// empty where Zaqar is not served.
  AgentAccess(const PublicUrls& urls, std::string temp_url_key, AgentStack stack, std::string resource, AgentKey key,
              std::string queue = "")
      : urls_(urls),
        temp_url_key_(std::move(temp_url_key)),
        stack_(std::move(stack)),
        resource_(std::move(resource)),
        key_(std::move(key)),
        queue_(std::move(queue)) {}

  /// A pre-signed URL for the resource; `kind` is "signal" (POST) or "waitcondition" (PUT), `time` as in
  /// "2026-11-21T00:12:44Z".
  [[nodiscard]] std::string signed_url(const std::string& kind, const std::string& time) const;
  /// An absolute TempURL that never ends.
  [[nodiscard]] std::string object_url(const std::string& method, const std::string& container,
                                       const std::string& object) const;
  /// The inputs by which a deployment signals; `name` is its object, or its user. Throws Error(unsupported).
  [[nodiscard]] Parameters signal_inputs(const std::string& transport, const std::string& name,
                                         const std::string& time) const;
  /// Of a server; container and object are those of POLL_TEMP_URL. Throws Error(unsupported).
  [[nodiscard]] CollectSection collect_section(const std::string& transport, const std::string& container,
                                               const std::string& object) const;

 private:
  [[nodiscard]] const std::string& secret() const;
  const PublicUrls& urls_;
  std::string temp_url_key_;
  AgentStack stack_;
  std::string resource_;
  AgentKey key_;
  std::string queue_;
};

}  // namespace hearth::metadata
