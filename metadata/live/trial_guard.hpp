// Which requests of live stacks' ports are tried before they are answered (trials.hpp): all that bring something to be
// evaluated, and those that ask for something that was not evaluated as things are now.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "metadata/engine/engine.hpp"
#include "metadata/live/trials.hpp"

namespace hearth::metadata::live {

[[nodiscard]] Trying tried_of_heat(const ServedRequest& request);
[[nodiscard]] Trying tried_of_cfn(const ServedRequest& request);
[[nodiscard]] Trying tried_of_objects(const ServedRequest& request);

class TrialGuard final : public HttpHandler {
 public:
  struct Port {
    Trying (*tried)(const ServedRequest& request);
    std::function<ServedResponse(const std::string& message)> refusal;
    std::function<void(const ServedRequest& request)> prepare = {};  ///< see Tried
  };
  TrialGuard(HttpHandler& inner, Engine& engine, Trials& trials, Port port)
      : inner_(inner), engine_(engine), trials_(trials), port_(std::move(port)) {}

  [[nodiscard]] Admission admit(const ServedRequest& head) override { return inner_.admit(head); }
  [[nodiscard]] bool admits_at_once(const ServedRequest& head) const override { return inner_.admits_at_once(head); }
  [[nodiscard]] bool answers_at_once(const ServedRequest& request) const override {
    return inner_.answers_at_once(request);
  }
  [[nodiscard]] std::unique_ptr<HeldAnswer> hold(const ServedRequest& request) override;
  [[nodiscard]] ServedResponse answer(const ServedRequest& request) override { return inner_.answer(request); }

 private:
  [[nodiscard]] std::uint64_t state_of(const ServedRequest& request) const;
  void note(const std::string& target, std::uint64_t state);

  HttpHandler& inner_;
  Engine& engine_;
  Trials& trials_;
  Port port_;
  std::map<std::string, std::uint64_t> known_;  ///< targets that were asked for: what they depended on
};

}  // namespace hearth::metadata::live
