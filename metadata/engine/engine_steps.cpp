// How a tree is changed: at once where it stands, or beside all else on a copy that takes its place.
#include "base/check.hpp"
#include "base/sql/database.hpp"
#include "base/text.hpp"
#include "metadata/engine/step_around.hpp"

namespace hearth::metadata::live {

namespace {

/// How often a step is made anew because its tree was changed meanwhile.
constexpr int k_most_times = 3;

void carry(LiveTree& from, LiveTree& to) {
  to.blueprint = std::move(from.blueprint);
  to.previous = std::move(from.previous);
}

/// Of a step that was refused. What it made of other templates is nothing to those that stay.
void give_back(LiveTree& mine, LiveTree& live) {
  if (mine.tree.era == live.tree.era) carry(mine, live);
}

}  // namespace

void Engine::step(LiveTree& live, const std::function<void(StackMachine&)>& work) {
  step(live, [&](LiveTree& mine, StepAround& around) {
    StackMachine machine(mine.tree, blueprint(mine), around, mine.previous.get());
    work(machine);
    return machine.take_changes();
  });
}

void Engine::step(LiveTree& live, const Work& work) {
  const std::string id = live.tree.id;
  if (!apart_.is_here()) {
    if (change(live, work)) after(id);
    return;
  }
  for (int times = 0; times < k_most_times; ++times) {
    if (step_apart(id, work)) return;
  }
  throw EngineError("ActionInProgress", cat("Stack ", find(id).live->tree.name, " changes too often just now."));
}

/// At once, but for what follows by itself; whether there was anything to do. Until it is kept the tree is as it was.
bool Engine::change(LiveTree& live, const Work& work) {
  require_store();
  LiveTree mine;
  mine.tree = live.tree;
  carry(live, mine);
  StepAround around(*this);
  Changes changes;
  try {
    if (!mine.blueprint && mine.tree.busy()) bring_previous(mine);
    changes = around.all(work(mine, around));
  } catch (...) {
    give_back(mine, live);
    throw;
  }
  return keep(live, mine, changes);
}

/// What is made of templates knows what was not kept where that fails: it is made anew when it is needed.
bool Engine::keep(LiveTree& live, LiveTree& mine, Changes& changes) {
  const bool nothing = changes.events.empty() && changes.stacks.empty() && changes.resources.empty() &&
                       changes.servers.empty() && !changes.definition;
  check(mine.tree.id == live.tree.id, "a step's tree takes its own place", "stack", live.tree.name, "step",
        mine.tree.name);
  if (!nothing) save(mine, changes);
  std::swap(live.tree, mine.tree);
  carry(mine, live);
  if (!nothing) show(live, changes);
  return !nothing;
}

/// What the stack was before the running update, where it has to be made again.
void Engine::bring_previous(LiveTree& live) {
  if (live.previous || !live.tree.previous_body.is_object()) return;
  live.previous = world_.maker.make(definition(live.tree, live.tree.previous_body, true));
}

/// After a failure what is kept may be other than what is known, until it is read again.
void Engine::require_store() const {
  if (doubtful_ || store_ == Store::lost)
    throw sql::StoreError("the stacks' store has failed, and was not read again yet", trouble_);
}

/// False where the tree was changed meanwhile: nothing is done then.
bool Engine::step_apart(const std::string& id, const Work& work) {
  LiveTree& before = *find(id).live;
  const std::uint64_t change = before.change;
  LiveTree mine;
  mine.tree = before.tree;
  carry(before, mine);
  StepAround around(*this);
  around.be_apart();
  const auto known = apart_trees_.insert(id).first;
  Changes changes;
  const auto kept = [&]() -> LiveTree* {
    apart_trees_.erase(known);
    const auto found = trees_.find(id);
    return found == trees_.end() || found->second->change != change ? nullptr : found->second.get();
  };
  try {
    apart_.run([&] {
      if (!mine.blueprint && mine.tree.busy()) bring_previous(mine);
      changes = around.all(work(mine, around));
    });
  } catch (...) {
    if (LiveTree* live = kept()) give_back(mine, *live);
    throw;
  }
  LiveTree* live = kept();
  require_store();
  if (live == nullptr) return false;
  if (keep(*live, mine, changes)) after(id);
  apart_.run([&] { mine = {}; });
  return true;
}

}  // namespace hearth::metadata::live
