// An incident: one file with what is known of a node that does not do as it should, for somebody who has nothing but
// the file. A tar in zstd: manifest.json, what stands in it for people and for `hearth why --file`, SHA256SUMS over
// all. Nothing in it is secret (facts.hpp); what is read of one is another's, and never written to a disk. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/why/causes/facts.hpp"

namespace hearth::bootstrap::why {

/// An incident is no larger: it goes by mail.
constexpr std::size_t k_largest_incident = 5'000'000;
/// The newest that this program reads; 1 has no console.
constexpr int k_incident_format = 2;

/// What of a thing is known, and its name.
struct IncidentStack {
  std::string name;
  StackFacts facts;
};

struct Incident {
  std::string node;
  std::string made_at;
  std::string hearth;  ///< version of the program that made it
  NodeFacts facts;
  std::vector<IncidentStack> stacks;
  std::string ramdisk_log;              ///< empty: none was sent
  std::string console{};                ///< the end of what its machine said on the serial line; empty: nothing
  Json images = Json::array();          ///< rows of the site's that the node was told of
  std::vector<std::string> left_out{};  ///< to keep it small, a line each
};

/// [{"kind", "name", "findings"}], as `why --json` prints it, and the same as text.
struct Answer {
  Json rows = Json::array();
  std::string text;
};
void put_answer(Answer& answer, std::string_view kind, const std::string& name, const std::vector<Finding>& found);
[[nodiscard]] Answer answer_of(const Incident& incident);

/// The file's bytes; old lines of logs are left out until it is small enough.
[[nodiscard]] std::string packed(Incident incident, std::size_t largest = k_largest_incident);
/// Throws Error that says what is wrong with `source`.
[[nodiscard]] Incident unpacked(std::string_view bytes, const std::string& source);

}  // namespace hearth::bootstrap::why
