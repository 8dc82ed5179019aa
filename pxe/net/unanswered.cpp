#include "pxe/net/unanswered.hpp"

#include <arpa/inet.h>

#include <charconv>
#include <vector>

#include "base/text.hpp"

namespace hearth::pxe {

namespace {

constexpr int k_times = 3;
constexpr Duration k_in_a_row = std::chrono::seconds(10);
constexpr Duration k_again = std::chrono::seconds(60);
constexpr int k_most_told = 10;
constexpr std::size_t k_most_rows = 4096;  ///< anybody may make up addresses

std::optional<std::uint32_t> hex_number(std::string_view hex) {
  std::uint32_t value = 0;
  const auto [end, fault] = std::from_chars(hex.data(), hex.data() + hex.size(), value, 16);
  return fault == std::errc() && end == hex.data() + hex.size() ? std::optional(value) : std::nullopt;
}

/// The address of a row of /proc/net, whose bytes stand as memory has them; of IPv6 only "any" and mapped ones.
std::optional<Ipv4> table_address(std::string_view hex) {
  if (hex.size() == 32) {
    const std::string_view head = hex.substr(0, 24);
    const bool is_any = hex.find_first_not_of('0') == std::string_view::npos;
    if (!is_any && head != "0000000000000000FFFF0000") return std::nullopt;
    hex = hex.substr(24);
  }
  const std::optional<std::uint32_t> value = hex_number(hex);
  if (!value || hex.size() != 8) return std::nullopt;
  return Ipv4{ntohl(*value)};
}

}  // namespace

bool UnansweredTries::may_tell(const Mac& mac, MonotonicTime now) {
  if (minutes_.size() >= k_most_rows && minutes_.count(mac) == 0) minutes_.clear();
  Minute& minute = minutes_[mac];
  if (minute.told == 0 || now - minute.began >= k_again) minute = {now, 0};
  if (minute.told == k_most_told) return false;
  ++minute.told;
  return true;
}

bool UnansweredTries::is_due(const Key& key, bool is_known, MonotonicTime now) {
  if (rows_.size() >= k_most_rows && rows_.count(key) == 0) rows_.clear();
  Row& row = rows_[key];
  if (row.times == 0 || now - row.first > k_in_a_row) {
    row.times = 0;
    row.first = now;
  }
  ++row.times;
  if (!is_known && row.times < k_times) return false;
  row.times = 0;
  if ((row.told && now - *row.told < k_again) || !may_tell(std::get<Mac>(key), now)) return false;
  row.told = now;
  return true;
}

std::optional<Unanswered> UnansweredTries::asked(const ArpQuestion& question, MonotonicTime now) {
  const std::string target = to_text(question.target);
  if (!is_due({question.mac, target, 0}, false, now)) return std::nullopt;
  return Unanswered{"arp", cat("who-has ", target), cat("nobody has ", target)};
}

std::optional<Unanswered> UnansweredTries::tried(const Mac& mac, const Attempt& attempt, bool is_ours,
                                                 MonotonicTime now) {
  const bool is_dns = attempt.kind == Attempt::Kind::dns;
  const bool is_closed = is_ours && !serves_(attempt.kind, attempt.to);
  if (is_dns && !is_closed) return std::nullopt;  // other servers' answers are not seen
  const std::string to = to_text(attempt.to);
  const std::string what = is_dns ? cat("query ", attempt.name) : cat("connect ", to);
  // A connection that is not answered is begun again from the same port; others beside it come from others.
  const std::uint16_t port = is_closed ? std::uint16_t{0} : attempt.from.port;
  if (!is_due({mac, what, port}, is_closed, now)) return std::nullopt;
  if (is_dns) return Unanswered{"dns", what, cat("no name server runs at ", to_text(attempt.to.address))};
  return Unanswered{"tcp", what, is_closed ? cat("nothing listens at ", to) : cat("no answer from ", to)};
}

std::set<Endpoint> listeners_in(std::string_view table) {
  std::set<Endpoint> found;
  for (const std::string& line : split_lines(table)) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() < 4 || (words[3] != "0A" && words[3] != "07")) continue;
    const std::size_t colon = words[1].find(':');
    if (colon == std::string::npos) continue;
    const std::optional<Ipv4> address = table_address(std::string_view(words[1]).substr(0, colon));
    const std::optional<std::uint32_t> port = hex_number(std::string_view(words[1]).substr(colon + 1));
    if (address && port) found.insert({*address, static_cast<std::uint16_t>(*port)});
  }
  return found;
}

}  // namespace hearth::pxe
