#include "agent/net/change_plan.hpp"

#include <algorithm>

#include "agent/net/eni.hpp"
#include "agent/net/sriov.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

namespace {

bool any_in(const std::vector<std::string>& names, const std::set<std::string>& set) {
  return std::any_of(names.begin(), names.end(), [&set](const std::string& name) { return set.count(name) > 0; });
}

std::vector<Unit> changed_units(const Layout& layout, const std::map<std::string, std::string>& present,
                                const std::set<std::string>& pending) {
  std::vector<Unit> changed;
  std::set<std::string> names;
  for (const Unit& unit : layout.units) {
    const auto before = present.find(unit.name);
    const bool same = before != present.end() && before->second == unit.text;
    if (same && pending.count(unit.name) == 0 && !any_in(unit.after, names)) continue;
    names.insert(unit.name);
    changed.push_back(unit);
  }
  return changed;
}

void add_file_change(ChangePlan& plan, const std::string& path, const std::string& data, bool shown,
                     const FileReader& files) {
  if (files.read(path).value_or("") != data) plan.files.push_back({path, data, shown});
}

/// A unit that only the present configuration knows.
Unit present_unit(const std::string& name, const std::string& text) {
  const auto holds = [&text](std::string_view part) { return text.find(part) != std::string::npos; };
  const bool made = holds("[NetDev]") || holds("post-down ip link delete") || holds("\nVLAN=yes") ||
                    holds("\nTYPE=Bridge") || holds("\nTYPE=Tap") || holds("\nBONDING_OPTS=");
  return {.name = name, .text = text, .after = {}, .device_now = "", .is_virtual = made};
}

void add_removed_files(ChangePlan& plan, Provider provider, const std::string& root, const std::string& unit,
                       const FileReader& files) {
  for (const std::string& path : own_files(provider, unit)) add_file_change(plan, cat(root, path), "", false, files);
}

/// The interfaces file without the stanzas of these; what stands on lines of several interfaces keeps the others.
std::string without_stanzas(const std::string& text, const std::set<std::string>& names) {
  std::string kept;
  bool dropping = false;
  for (const std::string& line : split_lines(text)) {
    std::vector<std::string> words = split_words(line);
    const bool list = !words.empty() && (words[0] == "auto" || words[0].compare(0, 6, "allow-") == 0);
    const bool opens =
        list ||
        (!words.empty() && (words[0] == "iface" || words[0] == "mapping" || words[0].compare(0, 6, "source") == 0));
    if (opens) dropping = words[0] == "iface" && words.size() > 1 && names.count(words[1]) > 0;
    if (list) {
      const std::size_t before = words.size();
      words.erase(std::remove_if(words.begin() + 1, words.end(),
                                 [&names](const std::string& word) { return names.count(word) > 0; }),
                  words.end());
      if (words.size() == 1) continue;
      kept += words.size() == before ? line + "\n" : join(words, " ") + "\n";
    } else if (!dropping) {
      kept += line + "\n";
    }
  }
  return kept;
}

}  // namespace

ChangePlan plan_change(const Layout& layout, const PlanRequest& request, const FileReader& files) {
  const std::map<std::string, std::string> present = present_units(request.provider, request.root, files);
  ChangePlan plan;
  plan.warnings = layout.warnings;
  const auto failed = [&request](const Replay& one) { return request.pending.count(one.device) > 0; };
  if (std::any_of(layout.replayed.begin(), layout.replayed.end(), failed)) plan.replayed = layout.replayed;
  plan.restart = changed_units(layout, present, request.pending);
  for (const RenderedFile& file : layout.files) {
    const std::size_t before = plan.files.size();
    add_file_change(plan, cat(request.root, file.path), file.data, file.shown, files);
    if (plan.files.size() > before && file.path == k_sriov_rules) plan.replayed = layout.replayed;
  }
  if (!request.cleanup) return plan;
  for (const auto& [name, text] : present) {
    const std::string& wanted = name;
    const bool stays = std::any_of(layout.units.begin(), layout.units.end(),
                                   [&wanted](const Unit& unit) { return unit.name == wanted; });
    if (stays) continue;
    plan.gone.push_back(present_unit(name, text));
    add_removed_files(plan, request.provider, request.root, name, files);
  }
  return plan;
}

ChangePlan plan_removal(const std::set<std::string>& names, Provider provider, const std::string& root,
                        const FileReader& files) {
  ChangePlan plan;
  std::set<std::string> found;
  for (const auto& [name, text] : present_units(provider, root, files)) {
    if (names.count(name) == 0) continue;
    found.insert(name);
    plan.gone.push_back(present_unit(name, text));
    add_removed_files(plan, provider, root, name, files);
  }
  if (provider == Provider::eni && !found.empty()) {
    const std::string path = cat(root, "/etc/network/interfaces");
    add_file_change(plan, path, without_stanzas(files.read(path).value_or(""), found), true, files);
  }
  return plan;
}

}  // namespace hearth::agent::net
