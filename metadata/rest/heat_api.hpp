// Heat's orchestration API, version 1, as the field's client uses it. heat_render.hpp has the shapes.
#pragma once

#include "base/clock.hpp"
#include "metadata/rest/access.hpp"
#include "metadata/rest/heat_render.hpp"

namespace hearth::metadata::live {

class HeatApi final : public HttpHandler {
 public:
  HeatApi(Engine& engine, AccessPolicy policy, const Clock& clock, Logger& log)
      : engine_(engine), policy_(std::move(policy)), clock_(clock), log_(log) {}
  [[nodiscard]] ServedResponse answer(const ServedRequest& request) override;

 private:
  /// A request taken apart.
  struct Call {
    const ServedRequest& request;
    Base base;
    std::string project;
    std::vector<std::string> parts;  ///< behind the project
    Parameters parameters;
    Caller caller;
  };

  // heat_api.cpp: routing and stacks
  [[nodiscard]] ServedResponse route(const Call& call);
  [[nodiscard]] ServedResponse stacks(const Call& call);
  [[nodiscard]] ServedResponse list_stacks(const Call& call);
  [[nodiscard]] ServedResponse create(const Call& call);
  [[nodiscard]] ServedResponse redirect(const Call& call);
  [[nodiscard]] ServedResponse one_stack(const Call& call, const StackPlace& place);
  [[nodiscard]] ServedResponse show(const Call& call, const StackPlace& place);
  [[nodiscard]] ServedResponse change(const Call& call, const StackPlace& place);
  [[nodiscard]] ServedResponse act(const Call& call, const StackPlace& place);
  [[nodiscard]] ServedResponse outputs(const Call& call, const StackPlace& place);

  // heat_api_resources.cpp: resources, events, software deployments
  [[nodiscard]] ServedResponse resources(const Call& call, const StackPlace& place);
  [[nodiscard]] ServedResponse one_resource(const Call& call, const StackPlace& place);
  [[nodiscard]] ServedResponse events(const Call& call, const StackPlace& place, const std::string& resource);
  [[nodiscard]] ServedResponse one_event(const Call& call, const StackPlace& place);
  [[nodiscard]] ServedResponse deployments(const Call& call);
  [[nodiscard]] ServedResponse configs(const Call& call);
  [[nodiscard]] ServedResponse fixed(const Call& call);
  void require_own(const Call& call, const Stack& stack, const std::string& resource) const;

  Engine& engine_;
  AccessPolicy policy_;
  const Clock& clock_;
  Logger& log_;
};

/// A stack and those nested in it, down to `depth`.
[[nodiscard]] std::vector<std::size_t> stacks_below(const StackTree& tree, std::size_t stack, std::uint64_t depth);

}  // namespace hearth::metadata::live
