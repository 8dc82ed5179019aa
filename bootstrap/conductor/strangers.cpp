#include "bootstrap/conductor/strangers.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::size_t k_most_strangers = 1024;
constexpr std::size_t k_told_strangers = 4;
constexpr Stamp k_stranger_hour = 3'600'000'000;
constexpr Stamp k_stranger_minute = 60'000'000;

}  // namespace

void Strangers::note(const std::string& mac, const std::string& how, Stamp now) {
  if (known_.size() >= k_most_strangers && !known_.contains(mac)) {
    if (now < tidy_next_) return;  // many at once: looking through all of them for each would take our time
    tidy_next_ = now + k_stranger_minute;
    std::erase_if(known_, [&](const auto& row) { return now - row.second.at > k_stranger_minute; });
    if (known_.size() >= k_most_strangers) return;
  }
  Sighting& sighting = known_[mac];
  sighting.how = how;
  sighting.at = newest_ = now;
  ++sighting.times;
}

Json Strangers::waiting(Stamp now) const {
  std::vector<std::pair<std::string, Sighting>> rows(known_.begin(), known_.end());
  std::erase_if(rows, [&](const auto& row) { return now - row.second.at > k_stranger_hour; });
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second.at > b.second.at; });
  Json list = Json::array();
  for (const auto& [mac, sighting] : rows)
    list.push_back(
        {{"mac", mac}, {"how", sighting.how}, {"times", sighting.times}, {"last_seen", stamp_json(sighting.at)}});
  return list;
}

bool Strangers::has_asked(const std::string& mac, Stamp since) const {
  const auto known = known_.find(mac);
  return known != known_.end() && known->second.at >= since;
}

std::vector<std::string> Strangers::some_since(Stamp since) const {
  std::vector<std::string> macs;
  if (newest_ < since) return macs;  // as a rule
  for (const auto& [mac, sighting] : known_) {
    if (sighting.at >= since) macs.push_back(mac);
    if (macs.size() == k_told_strangers) break;
  }
  return macs;
}

std::string Strangers::text_since(Stamp since) const {
  std::vector<std::string> told;
  for (const auto& [mac, sighting] : known_) {
    if (sighting.at < since) continue;
    told.push_back(cat(mac, " (", sighting.how, sighting.times > 1 ? cat(", ", sighting.times, " times") : "", ")"));
  }
  if (told.empty()) return "";
  return cat("; meanwhile there asked, and is no node's: ", join_first(told, k_told_strangers));
}

}  // namespace hearth::bootstrap
