#include "metadata/language/placeholders.hpp"
#include "metadata/model/value_limits.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <unordered_map>

#include "base/text.hpp"

namespace hearth::metadata {

namespace {

constexpr std::uint64_t k_most_looked_at = 80'000'000;
constexpr std::size_t k_filter_bits = std::size_t{1} << 20U;

/// A part of the text: [begin, end).
struct Part {
  std::size_t begin;
  std::size_t end;
};
/// A placeholder in the text.
struct Found {
  std::size_t key;
  std::size_t begin;
  bool operator<(const Found& other) const { return key != other.key ? key < other.key : begin < other.begin; }
};

/// The hash of a window that goes over a text, by Rabin and Karp, modulo 2^61 - 1.
class Window {
 public:
  explicit Window(std::size_t length) {
    for (std::size_t i = 1; i < length; ++i) leaving_ = times(leaving_, k_base);
  }
  void take(char c) { hash_ = (times(hash_, k_base) + number(c)) % k_prime; }
  void leave(char c) { hash_ = (hash_ + k_prime - times(number(c), leaving_)) % k_prime; }
  [[nodiscard]] std::size_t bit() const { return (hash_ ^ (hash_ >> 31U)) % k_filter_bits; }

 private:
  static constexpr std::uint64_t k_prime = (std::uint64_t{1} << 61U) - 1;
  static constexpr std::uint64_t k_base = 0x1f3d5b79a2c4e687ULL % k_prime;
  static std::uint64_t number(char c) { return static_cast<unsigned char>(c) + std::uint64_t{1}; }
  static std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b % k_prime);
  }
  std::uint64_t hash_ = 0;
  std::uint64_t leaving_ = 1;
};

/// The placeholders of one length, [first, last) of all.
class OneLength {
 public:
  OneLength(const std::vector<Placeholder>& all, std::size_t first, std::size_t last)
      : all_(all), first_(first), last_(last), length_(all[first].key.size()), filter_(many() ? k_filter_bits : 0) {
    for (std::size_t key = first; many() && key < last; ++key) {
      Window window(length_);
      for (const char c : all[key].key) window.take(c);
      filter_[window.bit()] = true;
      places_.emplace(all[key].key, key);
    }
  }
  [[nodiscard]] std::size_t length() const { return length_; }
  /// What it takes to look at so many characters.
  [[nodiscard]] std::uint64_t work(std::size_t characters) const { return many() ? characters : characters / 8; }
  [[nodiscard]] std::vector<Found> in(std::string_view text, const Part& part) const {
    std::vector<Found> found;
    if (part.end - part.begin < length_) return found;
    many() ? slide(text, part, found) : search(text.substr(0, part.end), part.begin, found);
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  [[nodiscard]] bool many() const { return last_ - first_ > 1; }

  /// For the only one of its length: what lies over another is not wanted.
  void search(std::string_view text, std::size_t begin, std::vector<Found>& found) const {
    const std::string& wanted = all_[first_].key;
    for (std::size_t at = text.find(wanted, begin); at != std::string_view::npos; at = text.find(wanted, at + length_))
      found.push_back({first_, at});
  }

  void slide(std::string_view text, const Part& part, std::vector<Found>& found) const {
    Window window(length_);
    for (std::size_t i = part.begin; i < part.end; ++i) {
      if (i - part.begin >= length_) window.leave(text[i - length_]);
      window.take(text[i]);
      if (i - part.begin + 1 < length_ || !filter_[window.bit()]) continue;
      const std::size_t at = i + 1 - length_;
      const auto known = places_.find(text.substr(at, length_));
      if (known != places_.end()) found.push_back({known->second, at});
    }
  }

  const std::vector<Placeholder>& all_;
  std::size_t first_;
  std::size_t last_;
  std::size_t length_;
  std::vector<bool> filter_;
  std::unordered_map<std::string_view, std::size_t> places_;
};

/// Those that don't lie over each other, by their beginning: the first key's first.
std::vector<Found> apart(const std::vector<Found>& found, std::size_t length) {
  const auto by_begin = [](const Found& a, const Found& b) { return a.begin < b.begin; };
  std::set<Found, decltype(by_begin)> kept(by_begin);
  for (const Found& each : found) {
    const auto next = kept.lower_bound(each);
    if (next != kept.end() && next->begin < each.begin + length) continue;
    if (next != kept.begin() && std::prev(next)->begin + length > each.begin) continue;
    kept.insert(next, each);
  }
  return {kept.begin(), kept.end()};
}

void require_work(std::uint64_t work, const Expression& call) {
  if (work <= k_most_looked_at) return;
  Fault fault("ValueError",
              cat(call.function->name, " goes over its text once for each length of its params, which is too much"),
              call.mark);
  fault.hint("Split the text, or give params whose names are of the same length.");
  throw fault;
}

}  // namespace

Placeholders::Placeholders(std::vector<Placeholder> all) : all_(std::move(all)) {
  std::sort(all_.begin(), all_.end(), [](const Placeholder& a, const Placeholder& b) {
    return a.key.size() != b.key.size() ? a.key.size() > b.key.size() : a.key < b.key;
  });
}

Placeholders::Replaced Placeholders::replace_in(const std::string& text, const Expression& call) const {
  if (!all_.empty() && all_.back().key.empty()) throw value_fault("empty separator");
  std::vector<Part> parts{{0, text.size()}};
  std::vector<Found> taken;
  std::uint64_t work = 0;
  for (std::size_t first = 0, last = 0; first < all_.size(); first = last) {
    while (last < all_.size() && all_[last].key.size() == all_[first].key.size()) ++last;
    const OneLength keys(all_, first, last);
    std::vector<Part> left;
    for (Part part : parts) {
      require_work(work += keys.work(part.end - part.begin), call);
      for (const Found& each : apart(keys.in(text, part), keys.length())) {
        if (each.begin > part.begin) left.push_back({part.begin, each.begin});
        part.begin = each.begin + keys.length();
        taken.push_back(each);
      }
      if (part.end > part.begin) left.push_back(part);
    }
    parts = std::move(left);
  }
  std::sort(taken.begin(), taken.end(), [](const Found& a, const Found& b) { return a.begin < b.begin; });
  Replaced replaced;
  replaced.places = taken.size();
  std::vector<bool> used(all_.size(), false);
  std::size_t done = 0;
  for (const Found& each : taken) {
    replaced.text.append(text, done, each.begin - done).append(all_[each.key].value);
    require_size(replaced.text.size(), call.function->name, call.mark);
    done = each.begin + all_[each.key].key.size();
    used[each.key] = true;
  }
  replaced.text.append(text, done);
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (!used[i]) replaced.unused.push_back(all_[i].key);
  }
  return replaced;
}

}  // namespace hearth::metadata
