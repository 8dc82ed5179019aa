// As much of Keystone (v3) as os-collect-config's heat collector and heat-config-notify need: a token for a user id and
// its password, with a catalog that names the orchestration API. The users are the engine's access keys.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "metadata/engine/engine.hpp"

namespace hearth::metadata::live {

class IdentityApi final : public HttpHandler {
 public:
  IdentityApi(const Engine& engine, const Clock& clock, Logger& log) : engine_(engine), clock_(clock), log_(log) {}
  [[nodiscard]] Admission admit(const ServedRequest& head) override {
    (void)head;
    return {.refusal = {}, .body_bytes = 16U << 10U};  // a name and a password
  }
  [[nodiscard]] bool admits_at_once(const ServedRequest& /*head*/) const override { return true; }
  [[nodiscard]] bool answers_at_once(const ServedRequest& request) const override;
  [[nodiscard]] ServedResponse answer(const ServedRequest& request) override;

 private:
  [[nodiscard]] ServedResponse issue(const ServedRequest& request);
  [[nodiscard]] Json token_body(const std::string& user, const std::string& project, std::int64_t expires) const;

  const Engine& engine_;
  const Clock& clock_;
  Logger& log_;
};

}  // namespace hearth::metadata::live
