#include "simulation/report.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/progress_text.hpp"
#include "base/text.hpp"
#include "base/version.hpp"

namespace hearth::simulation {

namespace {

constexpr std::size_t k_shown_runs = 5;
constexpr double k_long_wait = 60;  ///< seconds, for a link that others have

Duration from_seconds(double value) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(value));
}

std::string time_text(double value) { return elapsed_text(from_seconds(std::round(value * 10) / 10)); }

std::string percent_text(double share) { return cat(fixed(share * 100, share < 0.1 ? 1 : 0), " %"); }

std::string machines_text(std::uint64_t count) { return cat(count, count == 1 ? " machine" : " machines"); }

Json spread_json(const Spread& values) {
  return {{"count", values.count()},
          {"median", values.at_share(0.5)},
          {"p99", values.at_share(0.99)},
          {"most", values.at_share(1)}};
}

double share_of(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

/// Kinds of faults with what they cost, the dearest in all first.
std::vector<std::pair<FaultKind, Spread>> by_cost(const Sums& sums) {
  std::vector<std::pair<FaultKind, Spread>> kinds(sums.recoveries.begin(), sums.recoveries.end());
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const auto& a, const auto& b) { return a.second.sum() > b.second.sum(); });
  return kinds;
}

void look_at_ends(const PlayedSite& site, const Sums& sums, std::vector<WeakPoint>& found) {
  for (const auto& [run, end] : sums.bad) {
    if (found.size() == k_shown_runs) break;
    found.push_back({"run-broken", cat("run ", run, ": ", end.why), cat(site.replay, " ", run)});
  }
  if (sums.bad.size() > k_shown_runs)
    found.push_back({"runs-broken",
                     cat(sums.bad.size(), " of ", sums.runs, " runs did not come to their end, or broke a rule"),
                     "--json names all of them"});
}

void look_at_pool(const PlayedSite& site, const Sums& sums, std::vector<WeakPoint>& found) {
  if (sums.no_room > 0) {
    found.push_back({"address-pool",
                     cat("with this pool ", percent_text(share_of(sums.no_room, sums.boots)),
                         " of boots wait for an address, since none is free: ", site.pool, " for ",
                         machines_text(site.without_own), ", and whoever else asks; who waits does so for ",
                         time_text(seconds_in(sums.waiting) / static_cast<double>(sums.waited))),
                     "network.pool: a larger one, or fixed addresses (machines[].address)"});
  }
  const std::uint64_t others = sums.waited - sums.no_room;
  if (share_of(others, sums.boots) >= 0.01) {
    found.push_back(
        {"boot-answers",
         cat(percent_text(share_of(others, sums.boots)), " of boots get no answer to their first question: ",
             "the seed is down then, its disk full, or the network loses packets"),
         "a second seed to take over by (hearth seed takeover), or power that does not fail"});
  }
}

void look_at_link(const PlayedSite& site, const Sums& sums, std::vector<WeakPoint>& found) {
  const std::string advice = "a faster link (--link), a smaller image, or fewer machines at a time";
  if (site.link == 0) return;
  if (sums.unfinished > 0)
    found.push_back(
        {"image-link",
         cat(sums.unfinished, sums.unfinished == 1 ? " image of " : " images of ", human_bytes(site.image_bytes),
             " had not come when a run was given up; up to ", sums.most_writers, " were fetched at a time"),
         advice});
  if (sums.writes == 0) return;
  const double mean = seconds_in(sums.writing) / static_cast<double>(sums.writes);
  const double shared = seconds_in(sums.shared) / static_cast<double>(sums.writes);
  if (shared < k_long_wait) return;
  found.push_back(
      {"image-link",
       cat("an image takes ", time_text(mean), " to come, ", time_text(shared), " of it since others have the ",
           "link, too: up to ", sums.most_writers, " fetch ", human_bytes(site.image_bytes), " at a time"),
       advice});
}

void look_at_faults(const Sums& sums, std::vector<WeakPoint>& found) {
  const auto kinds = by_cost(sums);
  double all = 0;
  for (const auto& [kind, took] : kinds) all += took.sum();
  for (std::size_t i = 0; i < std::min<std::size_t>(2, kinds.size()); ++i) {
    const auto& [kind, took] = kinds[i];
    if (took.sum() < all / 10 || all == 0) continue;
    found.push_back({"fault-cost",
                     cat(name(kind), " costs ", i == 0 ? "most" : "much", ": ", percent_text(took.sum() / all),
                         " of all the time in which something was away; once: median ", time_text(took.at_share(0.5)),
                         ", p99 ", time_text(took.at_share(0.99))),
                     std::string(advice(kind))});
  }
}

void look_at_machines(const Sums& sums, std::vector<WeakPoint>& found) {
  Spread all;
  for (const auto& [name, times] : sums.up) all.add(times);
  const double usual = all.at_share(0.5);
  std::string worst;
  for (const auto& [name, times] : sums.up) {
    if (times.at_share(0.5) > 1.5 * usual && (worst.empty() || times.at_share(0.5) > sums.up.at(worst).at_share(0.5)))
      worst = name;
  }
  if (worst.empty()) return;
  const auto of = [&](const std::map<std::string, std::uint64_t>& counts) {
    const auto found_count = counts.find(worst);
    return found_count == counts.end() ? 0 : found_count->second;
  };
  found.push_back({"slow-machine",
                   cat(worst, " is the slowest: median ", time_text(sums.up.at(worst).at_share(0.5)),
                       " to its system, ", time_text(usual), " for all; ", of(sums.retries), " times started again, ",
                       of(sums.failures), " failures in all runs"),
                   ""});
}

}  // namespace

void Spread::add(double seconds) {
  const std::int64_t tenths = std::llround(seconds * 10);
  ++tenths_[tenths];
  ++count_;
  sum_tenths_ += tenths;
}

void Spread::add(const Spread& other) {
  for (const auto& [tenths, times] : other.tenths_) tenths_[tenths] += times;
  count_ += other.count_;
  sum_tenths_ += other.sum_tenths_;
}

double Spread::at_share(double share) const {
  if (count_ == 0) return 0;
  const auto rank = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (const auto& [tenths, times] : tenths_) {
    seen += times;
    if (seen >= rank) return static_cast<double>(tenths) / 10;
  }
  return static_cast<double>(tenths_.rbegin()->first) / 10;
}

void Sums::add(const RunResult& result) {
  const Tally& tally = result.tally;
  ++runs;
  if (!result.broken.empty()) bad[result.run] = {result.broken, result.digest};
  if (tally.converged) converged.add(seconds_in(*tally.converged));
  boots += tally.boots;
  waited += tally.waited;
  no_room += tally.no_room;
  waiting += tally.waiting;
  writes += tally.writes;
  writing += tally.writing;
  shared += tally.shared;
  unfinished += tally.writers;
  most_writers = std::max(most_writers, tally.most_writers);
  faults += result.faults;
  for (const Recovery& recovery : tally.recoveries) recoveries[recovery.kind].add(seconds_in(recovery.took));
  for (const auto& [name, machine] : tally.machines) {
    if (machine.up) up[name].add(seconds_in(*machine.up));
    retries[name] += machine.retries;
    failures[name] += machine.failures;
    all_retries += machine.retries;
    all_failures += machine.failures;
  }
}

RunResult result_of(std::uint64_t run, const Played& played) {
  return {run,         played.broken, played.digest, played.faults.size(), played.events, seconds_in(played.elapsed),
          played.tally};
}

std::string line_of(const RunResult& result) {
  const Tally& tally = result.tally;
  Json recoveries = Json::array();
  for (const Recovery& recovery : tally.recoveries)
    recoveries.push_back({{"fault", name(recovery.kind)}, {"seconds", seconds_in(recovery.took)}});
  Json machines = Json::object();
  for (const auto& [name, machine] : tally.machines)
    machines[name] = {{"up", machine.up ? Json(seconds_in(*machine.up)) : Json()},
                      {"retries", machine.retries},
                      {"failures", machine.failures}};
  return format_json({{"run", result.run},
                      {"broken", result.broken},
                      {"digest", result.digest},
                      {"faults", result.faults},
                      {"events", result.events},
                      {"seconds", result.seconds},
                      {"converged", tally.converged ? Json(seconds_in(*tally.converged)) : Json()},
                      {"boots", tally.boots},
                      {"waited", tally.waited},
                      {"no_room", tally.no_room},
                      {"waiting", seconds_in(tally.waiting)},
                      {"writes", tally.writes},
                      {"writing", seconds_in(tally.writing)},
                      {"shared", seconds_in(tally.shared)},
                      {"writers", tally.writers},
                      {"most_writers", tally.most_writers},
                      {"recoveries", recoveries},
                      {"machines", machines}});
}

RunResult parse_result(std::string_view line) {
  const Json row = parse_json(line, "a run's result").value_or_throw();
  const auto time = [](const Json& value) {
    return value.is_null() ? std::nullopt : std::optional(from_seconds(value.get<double>()));
  };
  RunResult result{row.at("run").get<std::uint64_t>(),
                   row.at("broken").get<std::string>(),
                   row.at("digest").get<std::string>(),
                   row.at("faults").get<std::uint64_t>(),
                   row.at("events").get<std::uint64_t>(),
                   row.at("seconds").get<double>(),
                   {}};
  Tally& tally = result.tally;
  tally.converged = time(row.at("converged"));
  tally.boots = row.at("boots").get<std::uint64_t>();
  tally.waited = row.at("waited").get<std::uint64_t>();
  tally.no_room = row.at("no_room").get<std::uint64_t>();
  tally.waiting = from_seconds(row.at("waiting").get<double>());
  tally.writes = row.at("writes").get<std::uint64_t>();
  tally.writing = from_seconds(row.at("writing").get<double>());
  tally.shared = from_seconds(row.at("shared").get<double>());
  tally.writers = row.at("writers").get<std::uint64_t>();
  tally.most_writers = row.at("most_writers").get<std::uint64_t>();
  for (const Json& recovery : row.at("recoveries")) {
    if (const auto kind = parse_kind(text_member(recovery, "fault")))
      tally.recoveries.push_back({*kind, from_seconds(recovery.at("seconds").get<double>())});
  }
  for (const auto& [name, machine] : row.at("machines").items())
    tally.machines[name] = {time(machine.at("up")), machine.at("retries").get<std::uint64_t>(),
                            machine.at("failures").get<std::uint64_t>()};
  return result;
}

std::vector<WeakPoint> weak_points(const PlayedSite& site, const Sums& sums) {
  std::vector<WeakPoint> found;
  look_at_ends(site, sums, found);
  look_at_pool(site, sums, found);
  look_at_link(site, sums, found);
  look_at_machines(sums, found);
  look_at_faults(sums, found);
  return found;
}

Json report_json(const PlayedSite& site, const Sums& sums) {
  Json weak = Json::array();
  for (const WeakPoint& point : weak_points(site, sums))
    weak.push_back({{"kind", point.kind}, {"text", point.text}, {"advice", point.advice}});
  Json faults = Json::object();
  for (const auto& [kind, took] : by_cost(sums)) faults[std::string(name(kind))] = spread_json(took);
  Json machines = Json::object();
  for (const auto& [name, times] : sums.up) machines[name] = spread_json(times);
  for (const auto& [name, count] : sums.retries) machines[name]["retries"] = count;
  for (const auto& [name, count] : sums.failures) machines[name]["failures"] = count;
  Json broken = Json::array();
  for (const auto& [run, end] : sums.bad) broken.push_back({{"run", run}, {"why", end.why}, {"digest", end.digest}});
  return {{"hearth", build_version()},
          {"site", site.file},
          {"seed", site.seed},
          {"years", site.years},
          {"faults", site.faults},
          {"runs", sums.runs},
          {"machines", site.machines},
          {"notes", site.notes},
          {"converged", spread_json(sums.converged)},
          {"boots",
           {{"all", sums.boots},
            {"waited", sums.waited},
            {"no_free_address", sums.no_room},
            {"seconds_waited", seconds_in(sums.waiting)}}},
          {"retries", sums.all_retries},
          {"failures", sums.all_failures},
          {"faults_played", sums.faults},
          {"cost_of_faults", faults},
          {"by_machine", machines},
          {"weak_points", weak},
          {"broken", broken}};
}

std::string report_text(const PlayedSite& site, const Sums& sums) {
  std::string text = cat(sums.runs, sums.runs == 1 ? " run" : " runs", " of ", machines_text(site.machines), ", ",
                         site.faults, site.faults == "none" ? " of the faults" : " faults", ": ",
                         sums.runs - sums.bad.size(), " came to their end\n");
  if (sums.converged.count() > 0)
    text += cat("all machines run: median ", time_text(sums.converged.at_share(0.5)), ", p99 ",
                time_text(sums.converged.at_share(0.99)), " from blank\n");
  text += cat("boots ", sums.boots, ", machines started again ", sums.all_retries, ", failures told ",
              sums.all_failures, ", faults played ", sums.faults, "\n");
  const bool was_away = std::any_of(sums.recoveries.begin(), sums.recoveries.end(),
                                    [](const auto& one) { return one.second.at_share(1) > 0; });
  if (was_away) text += "\nuntil all runs again, after         times   median      p99\n";
  std::uint64_t told = 0;
  for (const auto& [kind, took] : by_cost(sums)) {
    if (took.at_share(1) == 0) continue;
    const auto cell = [](std::string word, std::size_t width) {
      return word.size() < width ? std::string(width - word.size(), ' ') + word : word;
    };
    std::string row = cat("  ", name(kind));
    row += std::string(row.size() < 32 ? 32 - row.size() : 1, ' ');
    text += cat(row, cell(cat(took.count()), 9), cell(time_text(took.at_share(0.5)), 9),
                cell(time_text(took.at_share(0.99)), 9), "\n");
    told += took.count();
  }
  if (told < sums.faults)
    text += cat("after ", told == 0 ? "all " : "the other ", sums.faults - told, " faults nothing more was away\n");
  const std::vector<WeakPoint> weak = weak_points(site, sums);
  text += weak.empty() ? "\nno weak point was seen\n" : "\nweakest points:\n";
  for (std::size_t i = 0; i < weak.size(); ++i)
    text += cat(" ", i + 1, ". ", weak[i].text, "\n", weak[i].advice.empty() ? "" : cat("    ", weak[i].advice, "\n"));
  return text;
}

}  // namespace hearth::simulation
