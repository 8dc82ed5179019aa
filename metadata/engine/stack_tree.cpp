#include "metadata/engine/stack_tree.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {

namespace {

constexpr std::size_t k_worth_compacting = 64;

void renumber(std::size_t& place, const std::vector<std::size_t>& now) {
  if (place != k_none) place = now[place];
}
void renumber(std::vector<std::size_t>& places, const std::vector<std::size_t>& now) {
  for (std::size_t& place : places) renumber(place, now);
  std::erase(places, k_none);
}
void renumber(std::unordered_map<std::string, std::size_t>& places, const std::vector<std::size_t>& now) {
  for (auto& [key, place] : places) renumber(place, now);
  std::erase_if(places, [](const auto& entry) { return entry.second == k_none; });
}

}  // namespace

std::string path_below(const std::string& stack_path, const std::string& name) {
  return stack_path.empty() ? name : cat(stack_path, ".", name);
}

std::size_t StackTree::add_stack(const PlannedStack& plan, std::size_t parent_resource, std::int64_t now) {
  StackRecord stack;
  stack.id = plan.id;
  stack.name = plan.name;
  stack.description = plan.description;
  stack.is_group = plan.is_group;
  stack.created = now;
  stack.parent_resource = parent_resource;
  if (parent_resource != k_none) {
    ResourceRecord& parent = resources_.own(parent_resource);
    stack.path = parent.path;
    stack.parent = parent.stack;
    parent.child = stacks_.size();
  }
  const std::size_t index = stacks_.size();
  stacks_.push_back(std::move(stack));
  stack_by_key_.own()[plan.id] = index;
  stack_by_key_.own()[plan.name] = index;
  for (const PlannedResource& resource : plan.resources) add_resource(index, resource, now);
  connect(index);
  return index;
}

std::size_t StackTree::add_resource(std::size_t stack, const PlannedResource& plan, std::int64_t now) {
  ResourceRecord resource;
  resource.name = plan.name;
  resource.type = plan.type;
  resource.role = plan.role;
  resource.needs = plan.needs;
  resource.description = plan.description;
  resource.hooks = plan.hooks;
  resource.path = path_below(stacks_[stack].path, plan.name);
  resource.created = now;
  resource.updated = now;
  resource.stack = stack;
  resource.era = era;
  const std::size_t index = resources_.size();
  check(!stacks_[stack].gone, "nothing is added to what is gone", "stack", stacks_[stack].name, "resource", plan.name);
  by_path_.own()[resource.path] = index;
  stacks_.own(stack).resources.push_back(index);
  resources_.push_back(std::move(resource));
  return index;
}

void StackTree::restore(ResourceRecord resource, const std::string& stack_id) {
  for (std::size_t i = 0; i < stacks_.size(); ++i) {
    if (stacks_[i].id != stack_id) continue;
    resource.stack = i;
    stacks_.own(i).resources.push_back(resources_.size());
    return resources_.push_back(std::move(resource));
  }
}

void StackTree::link() {
  for (std::size_t i = 0; i < resources_.size(); ++i) by_path_.own()[resources_[i].path] = i;
  for (std::size_t i = 0; i < stacks_.size(); ++i) {
    StackRecord& stack = stacks_.own(i);
    stack_by_key_.own()[stack.id] = i;
    stack_by_key_.own()[stack.name] = i;
    if (!stack.path.empty()) {
      stack.parent_resource = find_path(stack.path);
      if (stack.parent_resource != k_none) {
        stack.parent = resources_[stack.parent_resource].stack;
        resources_.own(stack.parent_resource).child = i;
      }
    }
    connect(i);
  }
}

void StackTree::connect(std::size_t stack) {
  const std::vector<std::size_t>& members = stacks_[stack].resources;
  for (const std::size_t member : members) resources_.own(member).needed_by.clear();
  for (const std::size_t member : members) {
    std::vector<std::string>& needs = resources_.own(member).needs;
    std::sort(needs.begin(), needs.end());
    needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
    for (const std::string& need : needs) {
      const std::size_t needed = find_resource(stack, need);
      if (needed != k_none && needed != member) resources_.own(needed).needed_by.push_back(member);
    }
  }
}

void StackTree::drop_resource(std::size_t resource) {
  ResourceRecord& gone = resources_.own(resource);
  if (!gone.gone) ++gone_;
  gone.gone = true;
  const auto entry = by_path_->find(gone.path);
  if (entry != by_path_->end() && entry->second == resource) by_path_.own().erase(gone.path);
  for (const std::string& need : gone.needs) {
    const std::size_t needed = find_resource(gone.stack, need);
    if (needed != k_none) std::erase(resources_.own(needed).needed_by, resource);
  }
  std::erase(stacks_.own(gone.stack).resources, resource);
  if (gone.child != k_none) drop_stack(gone.child);
}

void StackTree::drop_stack(std::size_t index) {
  if (stacks_[index].gone) return;
  StackRecord& stack = stacks_.own(index);
  stack.gone = true;
  for (const std::string& key : {stack.id, stack.name}) {
    const auto entry = stack_by_key_->find(key);
    if (entry != stack_by_key_->end() && entry->second == index) stack_by_key_.own().erase(key);
  }
  const std::vector<std::size_t> members = stack.resources;
  for (const std::size_t member : members) drop_resource(member);
}

std::vector<std::size_t> StackTree::compact() {
  if (gone_ < std::max(k_worth_compacting, resources_.size() / 4) || root().gone) return {};
  const std::size_t before = resources_.size();
  const std::vector<std::size_t> stacks = stacks_.take_out_gone();
  std::vector<std::size_t> resources = resources_.take_out_gone();
  check(before - resources_.size() == gone_, "what is gone was counted", "before", before, "now", resources_.size(),
        "gone", gone_);
  gone_ = 0;
  for (std::size_t i = 0; i < stacks_.size(); ++i) {
    StackRecord& stack = stacks_.own(i);
    renumber(stack.parent, stacks);
    renumber(stack.parent_resource, resources);
    renumber(stack.resources, resources);
  }
  for (std::size_t i = 0; i < resources_.size(); ++i) {
    ResourceRecord& resource = resources_.own(i);
    renumber(resource.stack, stacks);
    renumber(resource.child, stacks);
    renumber(resource.needed_by, resources);
  }
  renumber(by_path_.own(), resources);
  renumber(stack_by_key_.own(), stacks);
  return resources;
}

bool StackTree::busy() const {
  if (running() || !goes_on_after_failure()) return running();
  for (const ResourceRecord& each : resources_) {
    if (!each.gone && each.status == Status::in_progress) return true;
  }
  return false;
}

std::size_t StackTree::find_stack(const std::string& id_or_name) const {
  const auto found = stack_by_key_->find(id_or_name);
  return found == stack_by_key_->end() ? k_none : found->second;
}

std::size_t StackTree::find_resource(std::size_t stack, const std::string& resource_name) const {
  const std::size_t found = find_path(path_below(stacks_[stack].path, resource_name));
  if (found == k_none || resources_[found].stack == stack) return found;
  for (const std::size_t member : stacks_[stack].resources) {  // this stack's place was taken by another
    if (resources_[member].name == resource_name) return member;
  }
  return k_none;
}

std::size_t StackTree::find_path(const std::string& path) const {
  const auto found = by_path_->find(path);
  return found == by_path_->end() ? k_none : found->second;
}

}  // namespace hearth::metadata::live
