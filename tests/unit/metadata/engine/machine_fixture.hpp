// A StackMachine over a simple blueprint, a clock by hand, and the events as the field's client prints them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metadata/engine/stack_machine.hpp"
#include "tests/fakes/simple_blueprint.hpp"

namespace hearth::metadata::live {

class FakeSurroundings final : public Surroundings {
 public:
  std::int64_t now() const override { return time; }
  Parameters signal_inputs(const StackTree&, ResourceRecord& resource, const std::string& transport) override {
    return {{"deploy_signal_id", cat(transport, " ", resource.path)}};
  }
  void prepare_server(const StackTree&, ResourceRecord& resource, const PlannedServer& plan) override {
    resource.data = {};
    resource.data.name = plan.name;
  }
  bool provides(const ResourceRecord&) const override { return provider; }
  Json prepare_handle(const StackTree&, ResourceRecord& resource, const PlannedHandle& plan) override {
    return {{"url", cat("http://signal/", resource.path)}, {"token", plan.transport}};
  }
  void forget(const StackTree&, const ResourceRecord& resource) override { forgotten.push_back(resource.path); }
  bool is_polling(const ResourceRecord&) const override { return polling; }

  std::int64_t time = 1000;
  bool polling = false;
  bool provider = false;
  std::vector<std::string> forgotten;
};

class MachineTest : public testing::Test {
 protected:
  void make(const char* json) {
    previous_ = std::move(blueprint_);
    blueprint_ = std::make_unique<fakes::SimpleBlueprint>("s", "id-s", Json::parse(json));
    machine_ = std::make_unique<StackMachine>(tree_, *blueprint_, around_, previous_.get());
    if (tree_.stacks().empty()) {
      tree_.id = "id-s";
      tree_.name = "s";
      tree_.add_stack(blueprint_->stack(""), k_none, around_.time);
    }
  }
  /// Makes it and creates it; what happened.
  std::vector<std::string> create(const char* json) {
    make(json);
    machine_->begin(Action::create);
    return events();
  }
  std::vector<std::string> update(const char* json) {
    auto known = blueprint_->known;
    make(json);
    blueprint_->known = std::move(known);
    machine_->begin(Action::update);
    return events();
  }
  std::vector<std::string> run(Action action) {
    machine_->begin(action);
    return events();
  }
  std::vector<std::string> signal(const std::string& path, const char* body = "{}") {
    outcome_ = machine_->signal(tree_.find_path(path), Json::parse(body));
    return events();
  }
  /// "path: STATUS reason"; a stack's own events have a "/" behind their path. Reasons "state changed" are left out.
  std::vector<std::string> events() {
    changes_ = machine_->take_changes();
    std::vector<std::string> lines;
    for (const EventRecord& event : changes_.events) {
      const std::string reason = event.reason == "state changed" ? "" : cat(" ", event.reason);
      lines.push_back(cat(path_of(event), ": ", event.status, reason));
    }
    return lines;
  }
  std::string path_of(const EventRecord& event) {
    for (const StackRecord& stack : tree_.stacks()) {
      if (stack.id != event.stack_id) continue;
      if (event.physical_id == stack.id) return cat(stack.path, "/");
      return path_below(stack.path, event.resource);
    }
    return "?";
  }
  const ResourceRecord& at(const std::string& path) { return tree_.resource(tree_.find_path(path)); }
  std::string status() { return status_text(tree_.root().action, tree_.root().status); }

  StackTree tree_;
  FakeSurroundings around_;
  std::unique_ptr<fakes::SimpleBlueprint> blueprint_;
  std::unique_ptr<fakes::SimpleBlueprint> previous_;
  std::unique_ptr<StackMachine> machine_;
  Changes changes_;
  SignalOutcome outcome_;
};

}  // namespace hearth::metadata::live
