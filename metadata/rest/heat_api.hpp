// Heat's orchestration API, version 1, as the field's client uses it. heat_render.hpp has the shapes.
#pragma once

#include <map>

#include "base/clock.hpp"
#include "metadata/rest/access.hpp"
#include "metadata/rest/heat_render.hpp"
#include "metadata/rest/template_guide.hpp"

namespace hearth::metadata::live {

class HeatApi final : public HttpHandler {
 public:
  HeatApi(Engine& engine, const TemplateGuide& guide, AccessPolicy policy, const Clock& clock, Logger& log)
      : engine_(engine), guide_(guide), policy_(policy), clock_(clock), log_(log) {}
  [[nodiscard]] Admission admit(const ServedRequest& head) override;
  [[nodiscard]] bool answers_at_once(const ServedRequest& request) const override;
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
  [[nodiscard]] ServedResponse refuse(const ServedRequest& request);
  static void require_right(const Call& call);
  [[nodiscard]] ServedResponse answer_to(const Call& call);
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

  // heat_api_lifecycle.cpp: what would be, leaving and coming back
  [[nodiscard]] ServedResponse preview(const Call& call);
  [[nodiscard]] ServedResponse preview_update(const Call& call, const StackPlace& place);
  [[nodiscard]] ServedResponse abandon(const Call& call, const StackPlace& place);
  [[nodiscard]] ServedResponse given(const Call& call, const StackPlace& place);
  [[nodiscard]] std::string adopt(const Call& call, const Json& request, const std::string& name);
  [[nodiscard]] ServedResponse snapshots(const Call& call, const StackPlace& place);
  [[nodiscard]] ServedResponse one_snapshot(const Call& call, const StackPlace& place);

  // heat_api_aside.cpp: stacks that can't be served
  [[nodiscard]] const SetAside* aside_of(const Call& call) const;
  [[nodiscard]] ServedResponse one_aside(const Call& call, const SetAside& stack);
  /// As a stack without anything in it, whose state is CHECK_FAILED.
  [[nodiscard]] static StackTree shown_tree(const SetAside& stack);

  // heat_api_resources.cpp: resources, events
  [[nodiscard]] ServedResponse resources(const Call& call, const StackPlace& place);
  [[nodiscard]] ServedResponse take_run(const Call& call, const ResourceRecord& server, const StackRecord& stack);
  [[nodiscard]] ServedResponse one_resource(const Call& call, const StackPlace& place);
  [[nodiscard]] ServedResponse events(const Call& call, const StackPlace& place, const std::string& resource);
  [[nodiscard]] ServedResponse one_event(const Call& call, const StackPlace& place);
  [[nodiscard]] ServedResponse change_resource(const Call& call, const StackPlace& place, std::size_t index);
  [[nodiscard]] ServedResponse set_machine(const Call& call, const ResourceRecord& server);
  [[nodiscard]] Json said_of(const LiveTree& live, std::size_t index) const;
  [[nodiscard]] Json summary_of(const Call& call, const LiveTree& live, std::size_t index) const;
  [[nodiscard]] Json attributes_of(LiveTree& live, std::size_t index);

  // heat_api_servers.cpp: servers as machines that somebody provides
  [[nodiscard]] ServedResponse servers(const Call& call, const StackPlace& place);

  // heat_api_software.cpp: software deployments and configs
  [[nodiscard]] ServedResponse deployments(const Call& call);
  [[nodiscard]] ServedResponse server_metadata(const Call& call, const std::string& server);
  [[nodiscard]] ServedResponse one_deployment(const Call& call, const std::string& id);
  [[nodiscard]] ServedResponse create_deployment(const Call& call);
  [[nodiscard]] ServedResponse configs(const Call& call);
  [[nodiscard]] ServedResponse one_config(const Call& call, const std::string& id);

  // heat_api_guide.cpp: the template language
  [[nodiscard]] ServedResponse guide(const Call& call);
  [[nodiscard]] ServedResponse resource_types(const Call& call);
  [[nodiscard]] const std::string& description_of(const std::string& type_name);
  [[nodiscard]] ServedResponse template_versions(const Call& call);
  [[nodiscard]] ServedResponse validate(const Call& call);
  /// A long list: others are served between its rows.
  [[nodiscard]] ServedResponse listed(std::string_view name, const Json& list);
  void require_own(const Call& call, const StackRecord& stack, const std::string& resource) const;

  [[nodiscard]] std::int64_t now() const;

  Engine& engine_;
  const TemplateGuide& guide_;
  std::map<std::string, std::string> descriptions_;  ///< of resource types
  AccessPolicy policy_;
  const Clock& clock_;
  Logger& log_;
};

/// A request's JSON object; an empty body is an empty one. Throws EngineError.
[[nodiscard]] Json body_of(const ServedRequest& request);
/// A member of a request that is a text; empty where it is not there. Throws EngineError, naming it, for all else.
[[nodiscard]] std::string text_in(const Json& request, const char* key);
/// Refuses a member that is there and no map. Throws EngineError, naming it.
void require_map(const Json& request, const char* key);
/// What is said of a server's machine: an address, or a failure. Throws EngineError for what agents could not use.
[[nodiscard]] Json machine_of(const Json& request);
/// The name that a request gives; throws EngineError as Heat does where it gives none.
[[nodiscard]] std::string stack_name_of(const Json& request);
/// What of a request is kept as the stack's definition. With `before` (PATCH, and what PUT may leave out) the rest is
/// taken from there.
[[nodiscard]] Json definition_of(const Json& request, const Json& before, bool patch);

/// A stack and those nested in it, down to `depth`.
[[nodiscard]] std::vector<std::size_t> stacks_below(const StackTree& tree, std::size_t stack, std::uint64_t depth);

}  // namespace hearth::metadata::live
