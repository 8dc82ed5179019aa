// Which requests of live stacks' ports are tried before they are answered (trials.hpp): all that bring something to be
// evaluated, and those that ask for something that was not evaluated as things are now.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "metadata/engine/engine.hpp"
#include "metadata/live/trials.hpp"

namespace hearth::metadata::live {

[[nodiscard]] Trying tried_of_heat(const ServedRequest& request);
[[nodiscard]] Trying tried_of_cfn(const ServedRequest& request);
[[nodiscard]] Trying tried_of_objects(const ServedRequest& request);

/// What a request is about.
struct Subject {
  std::string name;                 ///< for the same one the same is evaluated
  std::vector<std::string> stacks;  ///< their ids: what it depends on, and may change
};

class TrialGuard final : public HttpHandler {
 public:
  struct Port {
    std::function<Trying(const ServedRequest& request)> tried = {};
    std::function<ServedResponse(const std::string& message)> refusal = {};
    std::function<void(const ServedRequest& request)> prepare = {};     ///< see Tried
    std::function<Subject(const ServedRequest& request)> subject = {};  ///< empty: what the path names by UUIDs
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
  [[nodiscard]] std::uint64_t state_of(const Subject& subject) const;
  [[nodiscard]] std::vector<std::string> trees_of(const Subject& subject) const;
  void note(const std::string& name, std::uint64_t state);

  HttpHandler& inner_;
  Engine& engine_;
  Trials& trials_;
  Port port_;
  std::map<std::string, std::uint64_t> known_;  ///< subjects that were asked for: what they depended on
};

}  // namespace hearth::metadata::live
