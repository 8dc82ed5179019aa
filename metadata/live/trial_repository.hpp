// The repository of an engine of which copies try requests (trial_guard.hpp): in a copy nothing is read or written, for
// the database is the original's.
#pragma once

#include "metadata/engine/repository.hpp"

namespace hearth::metadata::live {

class TrialRepository final : public Repository {
 public:
  explicit TrialRepository(Repository& real) : real_(real) {}
  /// Reads what the next copy may ask for: the settings below `prefix`, or where that is empty, nothing.
  void bring(const std::string& prefix);
  /// This process is a copy.
  void detach() { detached_ = true; }
  /// Whether a copy was asked for what only the original knows: its answer is worth nothing then.
  [[nodiscard]] bool was_asked() const { return asked_; }

  void check() override;
  [[nodiscard]] StoredStacks load() override;
  void save(StackTree& tree, Changes& changes) override;
  void remove(const std::string& tree_id) override;
  [[nodiscard]] bool has_stacks() override;
  [[nodiscard]] std::vector<EventRecord> events(const EventQuery& query) override;
  [[nodiscard]] std::optional<EventRecord> event(const std::string& id) override;
  [[nodiscard]] std::optional<StoredObject> object(const std::string& path) override;
  void put_object(const std::string& path, const StoredObject& object) override;
  bool remove_object(const std::string& path) override;
  [[nodiscard]] std::string setting(const std::string& name) override;
  void set(const std::string& name, const std::string& value) override;
  void unset(const std::string& name) override;
  [[nodiscard]] std::vector<std::string> settings_below(const std::string& prefix) override;

 private:
  [[nodiscard]] bool ask();

  Repository& real_;
  bool detached_ = false;
  bool asked_ = false;
  std::string brought_;
  std::vector<std::string> settings_;  ///< those below brought_
};

}  // namespace hearth::metadata::live
