// The stack engine in the process of `hearth node serve`, where --engine asks for it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cli/options.hpp"
#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/net/http_server.hpp"
#include "base/path.hpp"
#include "base/text.hpp"
#include "metadata/live/service_options.hpp"
#include "metadata/live/stack_service.hpp"

namespace hearth::bootstrap {

struct OwnEngine {
  OwnEngine(const cli::Arguments& arguments, const std::vector<std::string>& networks, const fs::path& directory,
            const Clock& clock, Logger& log);

  /// For those who ask the conductor; null without an engine.
  [[nodiscard]] Json shown() const {
    if (!service) return nullptr;
    return {{"url", cat(urls.heat, "/v1/admin")}, {"authority", urls.authority}};
  }

  metadata::live::ServicePorts ports;
  metadata::PublicUrls urls;
  std::optional<TlsFiles> tls;
  std::unique_ptr<metadata::live::StackService> service;
  std::string url;
  std::string ca_file;  ///< whom to trust there; empty = the system's authorities
};

/// Strangers can open them: one of TLS takes 100 KB.
[[nodiscard]] std::size_t connections_of(const OwnEngine& engine);

/// What is asked of the stack engine's ports goes to its log; the conductor keeps events of its own.
class EngineAccess final : public AccessLog {
 public:
  explicit EngineAccess(const OwnEngine& engine) : engine_(engine) {}
  void record(const AccessRecord& record) noexcept override {
    const bool is_conductors = record.listener == "api" || record.listener == "agents";
    if (engine_.service && !is_conductors) engine_.service->audit().record(record);
  }
  void refused_certificate(std::string_view peer, std::string_view why) noexcept override {
    if (engine_.service) engine_.service->audit().refused_certificate(peer, why);
  }

 private:
  const OwnEngine& engine_;
};

}  // namespace hearth::bootstrap
