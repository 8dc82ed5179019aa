// The REST face of the conductor: Ironic's API, version 1.1 to 1.87, as the field's clients and ironic-python-agent use
// it; ironic-inspector's; and under /v1/hearth what those don't have (inventories, events, images, roles).
//
// Stands behind a Gate. Agents need no token of people's, reach only what is theirs, and only from their own machine;
// what a person may do is a matter of his role.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "base/net/query.hpp"
#include "base/net/served.hpp"
#include "bootstrap/api/bmc_answer.hpp"
#include "bootstrap/api/image_evidence.hpp"
#include "bootstrap/conductor/conductor.hpp"
#include "bootstrap/gate/gate.hpp"
#include "bootstrap/node/shown.hpp"
#include "bootstrap/power/console_desk.hpp"

namespace hearth::bootstrap {

/// One request taken apart.
struct ApiCall {
  const ServedRequest& request;
  Caller caller;
  View view;
  std::vector<std::string> parts;  ///< behind /v1
  Parameters parameters;
  std::shared_ptr<BmcAnswer> held{};  ///< where the request waits for a machine's management
  /// What is told how that went.
  [[nodiscard]] std::function<void(const Outcome&)> answered() const { return held ? held->asked() : nullptr; }
  [[nodiscard]] bool is(std::string_view method) const { return request.method == method; }
  [[nodiscard]] std::string parameter(std::string_view name) const;
  [[nodiscard]] bool truth(std::string_view name) const;
  /// The body as an object or list; throws Refusal (400).
  [[nodiscard]] Json body() const;
};

/// As Ironic takes truth values, in whatever form they come.
[[nodiscard]] std::optional<bool> truth_of(const Json& body, const char* key);

class IronicApi final : public GuardedHandler {
 public:
  /// Faces::agents: it is for machines, everything else is not found.
  enum class Faces { all, agents };
  IronicApi(Conductor& conductor, Faces faces, Logger& log) : conductor_(conductor), faces_(faces), log_(log) {}
  [[nodiscard]] ServedResponse answer(const ServedRequest& request, const Caller& caller) override {
    return answer_holding(request, caller, nullptr);
  }
  /// What `GET /v1/hearth/engine` answers: where the stack engine of this process is, and who signs for it. Null: none.
  void set_engine(Json shown) { engine_ = std::move(shown); }
  /// What `GET /v1/hearth/pace` answers: how long things took lately.
  void set_pace(std::function<Json()> shown) { pace_ = std::move(shown); }
  /// What `GET /v1/hearth/seeds` answers: who serves, and who waits to follow.
  void set_seeds(std::function<Json()> shown) { seeds_ = std::move(shown); }
  /// Serial consoles, for those who are elsewhere; without it there are none.
  void set_consoles(ConsoleDesk& consoles) { consoles_ = &consoles; }
  /// To be called a few times a second: keyboards that nobody uses are given back, and told as events.
  void look_at_consoles();
  /// What a machine's management is asked for is answered when it has: its boot device, an interrupt.
  [[nodiscard]] std::unique_ptr<HeldAnswer> hold(const ServedRequest& request, const Caller& caller) override;
  [[nodiscard]] ServedResponse answer_holding(const ServedRequest& request, const Caller& caller,
                                              const std::shared_ptr<BmcAnswer>& held);

 private:
  // ironic_api.cpp
  [[nodiscard]] ServedResponse route(const ApiCall& call);
  [[nodiscard]] std::optional<ServedResponse> agent_route(const ApiCall& call);
  [[nodiscard]] ServedResponse shelf(const ApiCall& call);
  [[nodiscard]] ServedResponse drivers(const ApiCall& call);
  [[nodiscard]] ServedResponse conductors(const ApiCall& call);

  // node_calls.cpp
  [[nodiscard]] ServedResponse nodes(const ApiCall& call);
  [[nodiscard]] ServedResponse list_nodes(const ApiCall& call, bool detail, const std::string& of_chassis = "");
  [[nodiscard]] ServedResponse create_node(const ApiCall& call);
  [[nodiscard]] ServedResponse one_node(const ApiCall& call, const Node& node);
  [[nodiscard]] ServedResponse patch_node(const ApiCall& call, const Node& node);
  [[nodiscard]] ServedResponse delete_node(const Node& node);
  void check_links(Node& node) const;

  // node_part_calls.cpp
  [[nodiscard]] ServedResponse part_of_node(const ApiCall& call, const Node& node);
  [[nodiscard]] ServedResponse node_states(const ApiCall& call, const Node& node);
  [[nodiscard]] ServedResponse node_maintenance(const ApiCall& call, const Node& node);
  [[nodiscard]] ServedResponse node_traits(const ApiCall& call, const Node& node);
  [[nodiscard]] ServedResponse node_validate(const ApiCall& call, const Node& node);
  [[nodiscard]] ServedResponse node_children(const ApiCall& call, const Node& node);
  [[nodiscard]] ServedResponse node_history(const ApiCall& call, const Node& node);

  // management_calls.cpp
  [[nodiscard]] ServedResponse node_management(const ApiCall& call, const Node& node);
  [[nodiscard]] ServedResponse node_firmware(const ApiCall& call, const Node& node);
  [[nodiscard]] ServedResponse node_bios(const ApiCall& call, const Node& node);
  [[nodiscard]] ServedResponse node_versions(const ApiCall& call, const Node& node);
  [[nodiscard]] ServedResponse node_raid(const ApiCall& call, const Node& node);
  [[nodiscard]] ServedResponse node_without(const ApiCall& call);
  [[nodiscard]] ServedResponse node_console(const ApiCall& call, const Node& node);

  // port_calls.cpp
  [[nodiscard]] ServedResponse ports(const ApiCall& call);
  /// Of those, by age, the ones that fit.
  [[nodiscard]] ServedResponse list_ports(const ApiCall& call, const NodeIndex::PortAges& ports,
                                          const std::function<bool(const Port&)>& fits) const;
  [[nodiscard]] ServedResponse create_port(const ApiCall& call);
  void check_group(const Node& node, const Port& port) const;
  [[nodiscard]] ServedResponse one_port(const ApiCall& call, const Node& node, const Port& port);

  // introspection_calls.cpp
  [[nodiscard]] ServedResponse introspection(const ApiCall& call);

  // hearth_calls.cpp
  [[nodiscard]] ServedResponse hearth(const ApiCall& call);
  [[nodiscard]] ServedResponse import(const ApiCall& call);
  [[nodiscard]] ServedResponse waiting(const ApiCall& call);
  [[nodiscard]] ServedResponse export_nodes(const ApiCall& call);
  [[nodiscard]] ServedResponse given(const ApiCall& call);
  [[nodiscard]] ServedResponse events(const ApiCall& call);
  [[nodiscard]] ServedResponse agent_log(const ApiCall& call);
  [[nodiscard]] ServedResponse boot_log(const ApiCall& call);
  ServedResponse instructions(const ApiCall& call);
  [[nodiscard]] ServedResponse evidence(const ApiCall& call);
  [[nodiscard]] ServedResponse console(const ApiCall& call);
  void tell_of_console(const Node& node, const std::string& text);
  [[nodiscard]] ServedResponse documents(const ApiCall& call, const std::string& kind);
  [[nodiscard]] ServedResponse configure_boot(const ApiCall& call);
  [[nodiscard]] ServedResponse hand_over(const ApiCall& call);

  Conductor& conductor_;
  Faces faces_;
  Logger& log_;
  Json engine_;
  std::function<Json()> pace_;
  std::function<Json()> seeds_;
  ConsoleDesk* consoles_ = nullptr;
  EvidenceShelf evidence_;
};

}  // namespace hearth::bootstrap
