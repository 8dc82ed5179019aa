// What every port of live stacks answers while the store fails, and agents of stacks that are set aside: come again.
// Agents and clients do, so that nothing that was acknowledged is lost, and nothing is acknowledged that could not be
// kept.
#pragma once

#include <functional>
#include <utility>

#include "base/log.hpp"
#include "base/net/served.hpp"
#include "metadata/engine/engine.hpp"

namespace hearth::metadata::live {

class StoreGuard final : public HttpHandler {
 public:
  /// `asks`: which requests only ask, though their method says more; may be empty.
  StoreGuard(HttpHandler& inner, Engine& engine, Logger& log, std::function<bool(const ServedRequest&)> asks = {})
      : inner_(inner), engine_(engine), log_(log), asks_(std::move(asks)) {}
  [[nodiscard]] Admission admit(const ServedRequest& head) override;
  [[nodiscard]] bool admits_at_once(const ServedRequest& head) const override;
  [[nodiscard]] bool answers_at_once(const ServedRequest& request) const override;
  [[nodiscard]] ServedResponse answer(const ServedRequest& request) override;

 private:
  [[nodiscard]] bool reads(const ServedRequest& request) const;
  [[nodiscard]] bool is_refused(const ServedRequest& request) const;

  HttpHandler& inner_;
  Engine& engine_;
  Logger& log_;
  std::function<bool(const ServedRequest&)> asks_;
};

}  // namespace hearth::metadata::live
