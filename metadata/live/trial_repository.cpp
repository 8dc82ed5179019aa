#include "metadata/live/trial_repository.hpp"

namespace hearth::metadata::live {

/// False in a copy, which notes it.
bool TrialRepository::ask() {
  if (detached_) asked_ = true;
  return !detached_;
}

void TrialRepository::bring(const std::string& prefix) {
  brought_.clear();
  settings_ = prefix.empty() ? std::vector<std::string>{} : real_.settings_below(prefix);
  brought_ = prefix;
}

void TrialRepository::check() {
  if (!detached_) real_.check();
}

StoredStacks TrialRepository::load() { return ask() ? real_.load() : StoredStacks{}; }

void TrialRepository::save(StackTree& tree, Changes& changes) {
  if (!detached_) real_.save(tree, changes);
}

void TrialRepository::remove(const std::string& tree_id) {
  if (!detached_) real_.remove(tree_id);
}

bool TrialRepository::has_stacks() { return ask() && real_.has_stacks(); }

std::vector<EventRecord> TrialRepository::events(const EventQuery& query) {
  return ask() ? real_.events(query) : std::vector<EventRecord>{};
}

std::optional<EventRecord> TrialRepository::event(const std::string& id) {
  return ask() ? real_.event(id) : std::nullopt;
}

std::optional<StoredObject> TrialRepository::object(const std::string& path) {
  return ask() ? real_.object(path) : std::nullopt;
}

void TrialRepository::put_object(const std::string& path, const StoredObject& object) {
  if (!detached_) real_.put_object(path, object);
}

bool TrialRepository::remove_object(const std::string& path) { return ask() && real_.remove_object(path); }

std::string TrialRepository::setting(const std::string& name) { return ask() ? real_.setting(name) : ""; }

void TrialRepository::set(const std::string& name, const std::string& value) {
  if (!detached_) real_.set(name, value);
}

void TrialRepository::unset(const std::string& name) {
  if (!detached_) real_.unset(name);
}

std::vector<std::string> TrialRepository::settings_below(const std::string& prefix) {
  if (detached_ && !brought_.empty() && prefix == brought_) return settings_;
  return ask() ? real_.settings_below(prefix) : std::vector<std::string>{};
}

}  // namespace hearth::metadata::live
