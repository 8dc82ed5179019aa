#include "builder/layers/chain.hpp"

#include <algorithm>
#include <map>

#include "base/check.hpp"
#include "base/run_parts.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

/// Whether the record's steps are those that are planned next.
bool fits(const LayerRecord& record, const std::vector<std::string>& planned, std::size_t from) {
  return record.planned.size() <= planned.size() - from &&
         std::equal(record.planned.begin(), record.planned.end(), planned.begin() + static_cast<std::ptrdiff_t>(from));
}

/// Why a layer does not hold: the first fault of its first step that has any, and how many that has.
struct Rejection {
  std::size_t faults = 0;
  std::string first;
};

std::optional<Rejection> rejection_of(const LayerRecord& record, const ChainQuery& query) {
  for (const StepRecord& step : record.steps) {
    const std::vector<std::string> faults = query.faults(step);
    if (faults.empty()) continue;
    const std::string& first = record.steps.front().label;
    const std::string place =
        first == step.label ? cat(first, ": ") : cat(first, ": the layer has ", step.label, ", too, of which ");
    return Rejection{faults.size(), cat(place, faults.front())};
  }
  return std::nullopt;
}

/// The first of `records` that comes next and holds; what speaks against the others is added to `rejected`.
std::optional<LayerRecord> first_that_holds(std::vector<LayerRecord> records, const ChainQuery& query,
                                            std::size_t covered, std::vector<Rejection>& rejected) {
  for (LayerRecord& record : records) {
    if (record.planned.empty() || !fits(record, query.planned, covered)) continue;
    std::optional<Rejection> rejection = rejection_of(record, query);
    if (!rejection) return std::move(record);
    rejected.push_back(std::move(*rejection));
  }
  return std::nullopt;
}

std::vector<std::string> nearest_first(std::vector<Rejection> rejected) {
  std::stable_sort(rejected.begin(), rejected.end(),
                   [](const Rejection& one, const Rejection& other) { return one.faults < other.faults; });
  std::vector<std::string> reasons;
  for (Rejection& each : rejected) reasons.push_back(std::move(each.first));
  return reasons;
}

}  // namespace

Chain find_chain(const ChainQuery& query) {
  Chain chain;
  chain.parent = query.base;
  while (chain.covered < query.planned.size()) {
    std::vector<Rejection> rejected;
    const std::string key = lookup_key(chain.parent, query.planned[chain.covered], query.is_copy);
    std::optional<LayerRecord> next = first_that_holds(query.find(key), query, chain.covered, rejected);
    if (!next && query.find_elsewhere) {
      next = first_that_holds(query.find_elsewhere(key), query, chain.covered, rejected);
    }
    chain.nearest = nearest_first(std::move(rejected));
    if (!next) break;
    check(!next->planned.empty() && next->planned.size() <= query.planned.size() - chain.covered,
          "a layer that holds is of the steps that are left", "covered", chain.covered, "its", next->planned.size(),
          "planned", query.planned.size());
    chain.covered += next->planned.size();
    chain.parent = next->id();
    chain.layers.push_back(std::move(*next));
  }
  return chain;
}

ResumePoint resume_point(const Chain& chain, const std::vector<Step>& plan) {
  if (chain.layers.empty()) return {};
  const LayerRecord& last = chain.layers.back();
  std::map<std::string, Step> by_name;
  std::vector<Step> at_the_end;
  for (std::size_t i = chain.covered; i < plan.size(); ++i) {
    if (plan[i].phase != last.phase) continue;
    if (plan[i].kind == Step::Kind::extra_packages) {
      at_the_end.push_back(plan[i]);
    } else {
      by_name[plan[i].name] = plan[i];
    }
  }
  for (const Step& step : last.rest) {
    if (step.kind == Step::Kind::hook && step.element.empty()) by_name.emplace(step.name, step);
  }
  std::vector<std::string> names;
  for (const auto& [name, step] : by_name) names.push_back(name);
  sort_run_parts(names);
  ResumePoint point{last.phase, {}};
  for (const std::string& name : names) point.rest.push_back(by_name.at(name));
  point.rest.insert(point.rest.end(), at_the_end.begin(), at_the_end.end());
  return point;
}

}  // namespace hearth::builder
