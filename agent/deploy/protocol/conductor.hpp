// The conductor's side of the agent's protocol: look-up, heartbeats, inspection (Ironic's REST API, /v1/lookup and
// /v1/heartbeat).
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/net/dialer.hpp"
#include "base/net/http.hpp"

namespace hearth::agent::deploy {

/// What the look-up gives.
struct LookedUp {
  Json node;
  std::chrono::seconds heartbeat_timeout{300};
  std::string token;         ///< empty = the conductor uses none
  bool token_known = false;  ///< it gave a token before and will not show it again
  std::string progress_url;  ///< ours: where progress is posted; empty = nowhere
  std::string image_key;     ///< ours: only images signed with it are written; empty = any

  [[nodiscard]] std::string uuid() const { return node.value("uuid", ""); }
};

/// A version such as 1.68; Ironic's API has only 1.x.
struct ApiVersion {
  int minor = 31;
};

/// "1.82" → 82, at most `most`; what makes no sense is 31, which every Ironic of the last years understands.
[[nodiscard]] ApiVersion api_version(std::string_view text, int most);

/// Reads the answer of a look-up. Throws Error(input) when it is none.
[[nodiscard]] LookedUp parse_lookup(std::string_view body);

class Conductor {
 public:
  /// `url` is the API's, without a slash at the end.
  Conductor(HttpClient& http, const Clock& clock, std::string url, Trust trust)
      : http_(http), clock_(clock), url_(std::move(url)), trust_(std::move(trust)) {}

  [[nodiscard]] const std::string& url() const { return url_; }
  /// Asks for the API's version. Throws Error(io).
  void greet();
  /// Throws Error: not_found when the conductor does not know this machine (or not now), io otherwise.
  [[nodiscard]] LookedUp look_up(const std::vector<std::string>& macs, const std::string& uuid);

  struct Heartbeat {
    std::string uuid;
    std::string callback_url;
    std::string token;
    std::string certificate;  ///< PEM: what to trust at callback_url; empty = that is plain HTTP
  };
  /// Whether it takes certificates of agents (Ironic's API 1.68): orders then come by HTTPS.
  [[nodiscard]] bool takes_certificates() const;
  /// Throws Error: io when it should be repeated soon, input when it was refused.
  void beat(const Heartbeat& heartbeat);
  /// Posts the inspection's result. True when it was taken, false when it was refused for good. Throws Error(io) when
  /// it should be repeated.
  [[nodiscard]] bool report_inspection(const std::string& to, const Json& data);
  /// Ours. What is answered: null when it was not taken, which is no matter.
  [[nodiscard]] Json report_progress(const std::string& to, const Json& progress);

 private:
  HttpResponse send(const std::string& method, const std::string& url, const Json* body, int version_limit);

  HttpClient& http_;
  const Clock& clock_;
  std::string url_;
  Trust trust_;
  std::string version_ = "1.31";  ///< the newest that the server has
};

}  // namespace hearth::agent::deploy
