// What one step needs of the engine around its tree. It changes nothing there: what follows from the step is in its
// Changes, and happens when they are kept. So a step can be made beside all else.
#pragma once

#include "metadata/engine/engine.hpp"

namespace hearth::metadata::live {

class StepAround final : public Surroundings {
 public:
  explicit StepAround(Engine& engine) : engine_(engine) {}
  /// From now on it looks at nothing that others change.
  void be_apart() { polls_ = engine_.polls_; }
  /// With what follows from it.
  [[nodiscard]] Changes all(Changes changes);

  // Surroundings
  [[nodiscard]] std::int64_t now() const override { return engine_.now(); }
  [[nodiscard]] std::int64_t lasted() const override { return engine_.lasted(); }
  void breathe() override { engine_.breathe(); }
  [[nodiscard]] Parameters signal_inputs(const StackTree& tree, ResourceRecord& resource,
                                         const std::string& transport) override;
  void prepare_server(const StackTree& tree, ResourceRecord& resource, const PlannedServer& plan) override;
  [[nodiscard]] bool provides(const ResourceRecord&) const override { return engine_.world_.provides_machines; }
  [[nodiscard]] Json prepare_handle(const StackTree& tree, ResourceRecord& resource,
                                    const PlannedHandle& plan) override;
  void forget(const StackTree& tree, const ResourceRecord& resource) override;
  [[nodiscard]] bool is_polling(const ResourceRecord& server) const override;

 private:
  void forget_server(const StackTree& tree, const ResourceRecord& resource, const std::string& key);

  Engine& engine_;
  std::optional<std::unordered_map<std::string, std::int64_t>> polls_;
  std::vector<std::pair<std::string, std::string>> settings_;
  std::vector<std::function<void()>> when_kept_;
};

}  // namespace hearth::metadata::live
