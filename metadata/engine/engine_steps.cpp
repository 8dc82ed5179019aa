// How a tree is changed: at once where it stands, or beside all else on a copy that takes its place.
#include "base/sql/database.hpp"
#include "base/text.hpp"
#include "metadata/engine/step_around.hpp"

namespace hearth::metadata::live {

namespace {

/// How often a step is made anew because its tree was changed meanwhile.
constexpr int k_most_times = 3;

}  // namespace

void Engine::step(LiveTree& live, const std::function<void(StackMachine&)>& work) {
  step(live, [&](LiveTree& mine, StepAround& around) {
    StackMachine machine(mine.tree, blueprint(mine), around, mine.previous.get());
    work(machine);
    return machine.take_changes();
  });
}

void Engine::step(LiveTree& live, const Work& work) {
  if (apart_.is_here()) {
    const std::string id = live.tree.id;
    for (int times = 0; times < k_most_times; ++times) {
      if (step_apart(id, work)) return;
    }
    throw EngineError("ActionInProgress", cat("Stack ", find(id).live->tree.name, " changes too often just now."));
  }
  const auto apart = apart_trees_.find(live.tree.id);
  if (apart != apart_trees_.end() && apart->second) bring_previous(live);
  const Step step(*this, live);
  StepAround around(*this);
  Changes changes = around.all(work(live, around));
  finish(live, changes);
}

/// What the stack was before the running update, where it has to be made again.
void Engine::bring_previous(LiveTree& live) {
  if (live.previous || !live.tree.previous_body.is_object()) return;
  live.previous = world_.maker.make(definition(live.tree, live.tree.previous_body, true));
}

/// The store may have failed while something was done beside others: of what is not known just now nothing is said.
void Engine::require_store() const {
  if (!can_write()) throw sql::StoreError("the stacks' store failed while a stack was evaluated", trouble_);
}

/// False where the tree was changed meanwhile: nothing is done then.
bool Engine::step_apart(const std::string& id, const Work& work) {
  LiveTree& before = *find(id).live;
  const std::uint64_t change = before.change;
  LiveTree mine;
  mine.tree = before.tree.copied([this] { breathe(); });
  const auto carry = [](LiveTree& from, LiveTree& to) {
    to.blueprint = std::move(from.blueprint);
    to.previous = std::move(from.previous);
  };
  carry(before, mine);
  StepAround around(*this);
  around.be_apart();
  const auto known = apart_trees_.emplace(id, mine.previous != nullptr).first;
  Changes changes;
  const auto kept = [&]() -> LiveTree* {
    apart_trees_.erase(known);
    const auto found = trees_.find(id);
    return found == trees_.end() || found->second->change != change ? nullptr : found->second.get();
  };
  try {
    apart_.run([&] { changes = around.all(work(mine, around)); });
  } catch (...) {
    if (LiveTree* live = kept()) carry(mine, *live);
    throw;
  }
  LiveTree* live = kept();
  require_store();
  if (live == nullptr) return false;
  std::swap(live->tree, mine.tree);
  carry(mine, *live);
  {
    const Step step(*this, *live);
    finish(*live, changes);
  }
  apart_.run([&] { mine = {}; });
  return true;
}

}  // namespace hearth::metadata::live
