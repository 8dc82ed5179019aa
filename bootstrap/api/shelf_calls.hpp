// /v1/chassis, /v1/portgroups, /v1/allocations, /v1/deploy_templates, /v1/volume/…: the shelves of api/shelf.hpp over
// the conductor's ledger, with what they have to do with nodes.
#pragma once

#include "bootstrap/api/ironic_api.hpp"
#include "bootstrap/api/shelf.hpp"

namespace hearth::bootstrap {

class ShelfCalls {
 public:
  ShelfCalls(Conductor& conductor, const ApiCall& call)
      : ledger_(conductor.ledger()), conductor_(conductor), call_(call) {}

  /// `rest`: what follows the shelf's path; at most one part.
  [[nodiscard]] ServedResponse answer(const Shelf& shelf, const std::vector<std::string>& rest);
  /// nodes/ID/volume, nodes/ID/volume/targets, nodes/ID/portgroups, nodes/ID/allocation.
  [[nodiscard]] ServedResponse of_node(const Node& node);
  /// What there is to be found below a place of volumes.
  [[nodiscard]] ServedResponse volumes(const std::string& place) const;
  /// The record of that UUID or name; throws Refusal (404).
  [[nodiscard]] Json find(const Shelf& shelf, const std::string& id) const;

 private:
  [[nodiscard]] ServedResponse list(const Shelf& shelf, const std::string& of_node);
  [[nodiscard]] ServedResponse create(const Shelf& shelf);
  [[nodiscard]] ServedResponse change(const Shelf& shelf, const Json& record);
  [[nodiscard]] ServedResponse remove(const Shelf& shelf, const Json& record);
  [[nodiscard]] bool fits(const Shelf& shelf, const Json& record, const std::string& of_node) const;
  [[nodiscard]] std::vector<Json> records(const Shelf& shelf) const;
  void keep(const Shelf& shelf, const Json& record, const std::string& what);
  void check_nodes(const Shelf& shelf, const Json& record) const;
  void check_off(const Shelf& shelf, const Json& record, const char* action) const;
  [[nodiscard]] std::string prepare_allocation(Json& record);

  Ledger& ledger_;
  Conductor& conductor_;
  const ApiCall& call_;
};

}  // namespace hearth::bootstrap
