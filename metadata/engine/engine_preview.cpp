// What would be, without doing it: a new stack, or an update of one that is there.
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "metadata/engine/step_around.hpp"

namespace hearth::metadata::live {

namespace {

/// All nested stacks that can be known before the run.
void expand(StackTree& tree, Blueprint& blueprint, std::size_t stack, std::int64_t now) {
  const std::vector<std::size_t> members = tree.stack(stack).resources;
  for (const std::size_t member : members) {
    if (tree.resource(member).role != Role::nested) continue;
    PlannedStack plan;
    try {
      plan = blueprint.stack(tree.resource(member).path);
    } catch (const Error&) {  // its members wait for what the run alone tells
      continue;
    }
    const std::size_t child = tree.add_stack(plan, member, now);
    tree.own_resource(member).physical_id = plan.id;
    expand(tree, blueprint, child, now);
  }
}

std::string fingerprint(Blueprint& blueprint, const std::string& path) {
  try {
    return format_json(blueprint.properties(path), {.lossy = true});
  } catch (const Error&) {  // it waits for something that runs before it
    return "";
  }
}

using Kind = ResourceChange::Kind;

class Comparison {
 public:
  Comparison(const StackTree& before, StackPreview& next, std::vector<ResourceChange>& changes)
      : before_(before), next_(next), changes_(changes) {}

  /// Whether anything in or below these two differs.
  bool compare(std::size_t old_stack, std::size_t new_stack) {
    bool differs = false;
    for (const std::size_t member : next_.tree.stack(new_stack).resources) {
      const ResourceRecord& resource = next_.tree.resource(member);
      const std::size_t known = before_.find_path(resource.path);
      const bool same_kind = known != k_none && before_.resource(known).type == resource.type;
      const Kind kind = same_kind ? compared(known, member) : Kind::added;
      changes_.push_back(kind == Kind::added ? ResourceChange{kind, 1, member} : ResourceChange{kind, 0, known});
      if (kind == Kind::added && resource.child != k_none) all_added(resource.child);
      differs = differs || kind != Kind::unchanged;
    }
    for (const std::size_t member : before_.stack(old_stack).resources) {
      const ResourceRecord& resource = before_.resource(member);
      const std::size_t still = next_.tree.find_path(resource.path);
      if (still != k_none && next_.tree.resource(still).type == resource.type) continue;
      all_deleted(member);
      differs = true;
    }
    return differs;
  }

 private:
  Kind compared(std::size_t old_index, std::size_t new_index) {
    const ResourceRecord& before = before_.resource(old_index);
    const ResourceRecord& after = next_.tree.resource(new_index);
    if (before.action == Action::init) return Kind::added;
    if (after.role == Role::nested) {
      if (before.child == k_none || after.child == k_none) return Kind::updated;
      return compare(before.child, after.child) ? Kind::updated : Kind::unchanged;
    }
    if (before.status == Status::failed) return Kind::replaced;
    if (fingerprint(*next_.blueprint, after.path) == before.fingerprint) return Kind::unchanged;
    const bool anew =
        after.role == Role::fixed || after.role == Role::wait_handle || after.role == Role::wait_condition;
    return anew ? Kind::replaced : Kind::updated;
  }
  void all_added(std::size_t stack) {
    for (const std::size_t member : next_.tree.stack(stack).resources) {
      changes_.push_back({Kind::added, 1, member});
      if (next_.tree.resource(member).child != k_none) all_added(next_.tree.resource(member).child);
    }
  }
  void all_deleted(std::size_t resource) {
    changes_.push_back({Kind::deleted, 0, resource});
    const std::size_t child = before_.resource(resource).child;
    if (child == k_none) return;
    for (const std::size_t member : before_.stack(child).resources) all_deleted(member);
  }

  const StackTree& before_;
  StackPreview& next_;
  std::vector<ResourceChange>& changes_;
};

}  // namespace

StackPreview Engine::preview(const std::string& project, const std::string& name, const Json& body) {
  require_free(project, name);  // as Heat
  StackPreview preview;
  preview.tree.id = random_uuid();
  preview.tree.name = name;
  preview.tree.project = project;
  preview.tree.body = body;
  try {
    preview.blueprint = world_.maker.make(definition(preview.tree, body));
    preview.tree.add_stack(preview.blueprint->stack(""), k_none, now());
    expand(preview.tree, *preview.blueprint, 0, now());
  } catch (const Error& error) {
    throw EngineError("StackValidationFailed", error.what());
  }
  return preview;
}

UpdatePreview Engine::preview_update(const std::string& id, const Json& body) {
  LiveTree& live = *find(id).live;
  UpdatePreview preview;
  StackTree& next = preview.next.tree;
  next.id = live.tree.id;
  next.name = live.tree.name;
  next.project = live.tree.project;
  next.body = body;
  try {
    preview.next.blueprint = world_.maker.make(definition(live.tree, body));
    StepAround around(*this);
    StackMachine(live.tree, *preview.next.blueprint, around, &blueprint(live)).relearn(true);
    next.add_stack(preview.next.blueprint->stack(""), k_none, now());
    expand(next, *preview.next.blueprint, 0, now());
  } catch (const Error& error) {
    throw EngineError("StackValidationFailed", error.what());
  }
  Comparison(live.tree, preview.next, preview.changes).compare(0, 0);
  return preview;
}

}  // namespace hearth::metadata::live
