#include "simulation/trace.hpp"

#include <array>
#include <cstdio>

#include "base/text.hpp"

namespace hearth::simulation {

void Trace::mix(std::string_view text) {
  for (const char c : text) sum_ = (sum_ ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  sum_ = (sum_ ^ 0xffU) * 0x100000001b3U;
}

void Trace::note(Duration at, std::string_view kind, std::string_view who, std::string_view what) {
  ++count_;
  if (what.find(directory_) != std::string_view::npos)
    return note_told(at, kind, who, replace_all(std::string(what), directory_, "DIR"));
  note_told(at, kind, who, what);
}

void Trace::note_told(Duration at, std::string_view kind, std::string_view who, std::string_view what) {
  auto time = static_cast<std::uint64_t>(at.count());
  for (int byte = 0; byte < 8; ++byte, time >>= 8U) sum_ = (sum_ ^ (time & 0xffU)) * 0x100000001b3U;
  mix(kind);
  mix(who);
  mix(what);
  if (keep_ == Keep::lines) lines_.push_back({at, std::string(kind), std::string(who), std::string(what)});
}

std::string Trace::digest() const {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(sum_));
  return text.data();
}

std::string line_text(const TraceLine& line) {
  std::array<char, 32> time{};
  std::snprintf(time.data(), time.size(), "%12.6f", seconds_in(line.at));
  return cat(time.data(), " ", line.kind, std::string(line.kind.size() < 9 ? 9 - line.kind.size() : 1, ' '), line.who,
             ": ", line.what);
}

}  // namespace hearth::simulation
