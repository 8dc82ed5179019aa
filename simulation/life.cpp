#include "simulation/life.hpp"

#include <algorithm>
#include <array>

#include "simulation/random.hpp"

namespace hearth::simulation {

namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration k_year = hours(24 * 365);
constexpr Duration k_quiet = hours(1);
constexpr Duration k_storm = minutes(15);
constexpr double k_often = 20;

struct Rate {
  FaultKind kind;
  double a_year;     ///< of each machine, or of the site
  Duration longest;  ///< 0: it happens at once
};

constexpr std::array<Rate, k_fault_kinds> k_rates = {{
    {FaultKind::kill_conductor, 4, {}},        {FaultKind::power_cut, 1, {}},
    {FaultKind::full_disk, 0.5, hours(1)},     {FaultKind::lossy_net, 2, minutes(30)},
    {FaultKind::slow_net, 2, minutes(30)},     {FaultKind::cut_machine, 0.25, minutes(30)},
    {FaultKind::cut_bmc, 0.5, hours(1)},       {FaultKind::slow_bmc, 0.5, minutes(30)},
    {FaultKind::hung_bmc, 0.5, hours(1)},      {FaultKind::lying_bmc, 0.05, minutes(30)},
    {FaultKind::wrong_password, 0.05, {}},     {FaultKind::power_loss, 0.5, {}},
    {FaultKind::dead_disk, 0.03, {}},          {FaultKind::slow_boot, 0.25, minutes(30)},
    {FaultKind::twice, 2, minutes(30)},        {FaultKind::wrong_order, 0.1, {}},
    {FaultKind::lost_answers, 1, minutes(30)}, {FaultKind::site_power, 0.5, {}},
    {FaultKind::closed_bmc, 0.02, hours(1)},
}};

/// As many as the rate says, what is left of a whole one by chance, at moments of the years that are drawn.
std::vector<Fault> in_years(Random& random, std::size_t machines, double rate, double years) {
  std::vector<Fault> faults;
  const auto end = std::chrono::duration_cast<Duration>(k_year * years);
  for (const Rate& row : k_rates) {
    const double all = row.a_year * rate * years * (is_of_machine(row.kind) ? static_cast<double>(machines) : 1);
    const auto rest = static_cast<std::uint64_t>((all - static_cast<double>(static_cast<std::uint64_t>(all))) * 10000);
    const std::uint64_t count = static_cast<std::uint64_t>(all) + (random.below(10000) < rest ? 1 : 0);
    for (std::uint64_t i = 0; i < count; ++i) {
      Fault fault{row.kind, is_of_machine(row.kind) ? static_cast<std::size_t>(random.below(machines)) : 0, {}, {}};
      fault.begin = random.between(Duration(0), end);
      if (row.longest > Duration(0)) fault.length = random.between(seconds(10), row.longest);
      faults.push_back(fault);
    }
  }
  std::stable_sort(faults.begin(), faults.end(), [](const Fault& a, const Fault& b) { return a.begin < b.begin; });
  return faults;
}

}  // namespace

std::optional<Level> parse_level(std::string_view word) {
  if (word == "none") return Level::none;
  if (word == "rare") return Level::rare;
  if (word == "often") return Level::often;
  if (word == "storm") return Level::storm;
  return std::nullopt;
}

Life life_of(std::uint64_t seed, std::size_t machines, Level level, double years) {
  if (level == Level::none) return {};
  if (level == Level::storm) return {faults_of(seed, machines, k_storm), k_storm};
  Random random = Random::of(seed, "life");
  Life life{in_years(random, machines, level == Level::often ? k_often : 1, years), {}};
  Duration quiet_since{};  // in the years
  Duration skipped{};
  for (Fault& fault : life.faults) {
    if (fault.begin > quiet_since + k_quiet) skipped += fault.begin - quiet_since - k_quiet;
    quiet_since = std::max(quiet_since, fault.begin + fault.length);
    fault.begin = std::chrono::floor<std::chrono::milliseconds>(fault.begin - skipped + seconds(1));
    fault.length = std::chrono::floor<std::chrono::milliseconds>(fault.length);
    life.trouble = std::max(life.trouble, fault.begin + fault.length);
  }
  return life;
}

}  // namespace hearth::simulation
