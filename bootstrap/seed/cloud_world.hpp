// The handover's seam to the world: a seed by its REST API, an OpenStack by its catalogue.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/environment.hpp"
#include "base/net/keystone.hpp"
#include "base/net/web_client.hpp"
#include "bootstrap/seed/giving.hpp"

namespace hearth::bootstrap {

/// Who logs in, as "auth" of a request for a token: of the OS_* variables that OpenStack's own client reads. `password`
/// in place of OS_PASSWORD, where it is not empty. Throws Error(usage) naming what is missing. Pure.
[[nodiscard]] Json cloud_login(const Environment& environment, const std::string& password);

/// How long an image of so many bytes may take: glance has half an hour for its part of it, and the way 1 MiB/s.
[[nodiscard]] Duration upload_patience(std::uint64_t size);

class CloudWorld final : public GivingWorld {
 public:
  struct Cloud {
    std::string auth_url;
    Json login;
    std::string region;   ///< empty: the first
    std::string ca_file;  ///< empty: the system's
  };
  using AskSeed = std::function<Json(const std::string& method, const std::string& target, const Json& body)>;
  /// `stacks`: of the seed's stack service; nothing where that is not known.
  CloudWorld(Cloud cloud, AskSeed seed, AskSeed stacks, HttpClient& http, Clock& clock,
             std::function<void(const std::string&)> tell);

  [[nodiscard]] Json ask_seed(const std::string& method, const std::string& target, const Json& body) override {
    return seed_(method, target, body);
  }
  [[nodiscard]] bool has_stacks() const override { return static_cast<bool>(stacks_); }
  [[nodiscard]] Json ask_stacks(const std::string& method, const std::string& target, const Json& body) override {
    return stacks_(method, target, body);
  }
  [[nodiscard]] bool has(const std::string& service) override;
  [[nodiscard]] Answer ask_cloud(const std::string& service, const std::string& method, const std::string& target,
                                 const Json& body) override;
  [[nodiscard]] Sent upload(const std::string& id, const fs::path& file) override;
  void pause() override { clock_.sleep(std::chrono::seconds(1)); }
  void tell(const std::string& line) override { tell_(line); }

 private:
  [[nodiscard]] const KeystoneToken& token();
  [[nodiscard]] HttpRequest request(const std::string& service, const std::string& method, const std::string& target);
  [[nodiscard]] HttpResponse sent(const HttpRequest& request, const std::string& service);

  Cloud cloud_;
  AskSeed seed_, stacks_;
  HttpClient& http_;
  Clock& clock_;
  std::function<void(const std::string&)> tell_;
  std::optional<KeystoneToken> token_;
};

}  // namespace hearth::bootstrap
