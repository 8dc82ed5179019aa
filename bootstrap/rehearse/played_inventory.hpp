// The inventory of a rehearsal: the operator's own, from the site file or a file of its own, with the machines'
// management played by ours; and the mistakes that are to be in it. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "bootstrap/rehearse/fault.hpp"
#include "bootstrap/site/site_file.hpp"

namespace hearth::bootstrap {

/// A BMC that is played: where it answers, and the account that it knows.
struct PlayedBmc {
  std::string url;
  std::string user;
  std::string password;
};

/// The site with the machines as the operator's inventory knows them: its MACs, firmware and entries are taken; where
/// the site lists no machines, each entry is one. Entries of no machine go to `left_out`, a line each. All that does
/// not fit is told at once, a line each.
[[nodiscard]] Result<SiteFile, std::string> with_inventory(SiteFile site, const std::vector<ListingEntry>& entries,
                                                           const std::string& source,
                                                           std::vector<std::string>& left_out);

/// The account that a machine's entry has; empty texts where it has none.
[[nodiscard]] PlayedBmc account_in(const Json& entry);

/// instackenv's text: each machine's entry, its management at `bmcs`. Keys of other drivers, and what holds for the
/// real machine's disk only, are left out.
[[nodiscard]] Json played_inventory(const SiteFile& site, const std::vector<PlayedBmc>& bmcs);

/// The same with the mistakes among `faults` in it.
[[nodiscard]] Json with_mistakes(Json inventory, const std::vector<InjectedFault>& faults);

/// What a person reads: "wrong-mac:a" → "the inventory has 52:…:81 for a's card, which has 52:…:01".
[[nodiscard]] std::string mistake_text(const InjectedFault& fault, const Json& right, const Json& wrong);

}  // namespace hearth::bootstrap
