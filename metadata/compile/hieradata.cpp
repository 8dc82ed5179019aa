#include "metadata/compile/hieradata.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

class Hiera {
 public:
  /// The map that the hook of the group gets.
  void of_hook(const Value& config, const std::string& deployment) {
    if (!config.is_map()) return;
    if (member(config, "datafiles").is_null()) {
      const Value only = member(config, "hieradata");
      add(deployment, ".json", json_text(only.is_map() ? only : config, {.indent = 2}) + "\n", config.mark());
      return;
    }
    of_map(config);
  }

  /// The map below `hiera` of what os-apply-config merges.
  void of_map(const Value& hiera) {
    const Value order = member(hiera, "hierarchy");
    if (order.is_list()) {
      hierarchy_.clear();
      for (const Value& each : order.items()) hierarchy_.push_back(python_str(each));
    }
    const Value data = member(hiera, "datafiles");
    for (const Entry& entry : data.is_map() ? data.entries() : std::vector<Entry>{}) {
      const Value raw = member(entry.value, "raw_data");
      const Value mapped = member(entry.value, "mapped_data");
      const Mark mark = entry.key.mark().known() ? entry.key.mark() : entry.value.mark();
      if (raw.is_null() && mapped.is_null()) {
        add(python_str(entry.key), ".json", json_text(entry.value, {.indent = 2}) + "\n", mark);
        continue;
      }
      std::string text = raw.is_null() ? "" : python_str(raw);
      if (!text.empty() && text.back() != '\n') text += "\n";
      for (const Entry& each : mapped.is_map() ? mapped.entries() : std::vector<Entry>{})
        text += cat(json_text(Value::string(python_str(each.key))), ": ", json_text(each.value), "\n");
      add(python_str(entry.key), ".yaml", text, mark);
    }
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> files() const {
    std::vector<std::pair<std::string, std::string>> all;
    if (texts_.empty() && hierarchy_.empty()) return all;
    std::vector<std::string> order = hierarchy_;
    std::string config = "---\n:backends:\n  - json\n  - yaml\n";
    config += ":json:\n  :datadir: /etc/puppet/hieradata\n:yaml:\n  :datadir: /etc/puppet/hieradata\n:hierarchy:";
    if (order.empty()) {
      for (const auto& [name, text] : texts_) order.push_back(name);
    }
    for (const std::string& name : order) config += cat("\n  - ", json_text(Value::string(name)));
    all.emplace_back("hiera.yaml", config + "\n");
    for (const auto& [name, text] : texts_) all.emplace_back(cat("hieradata/", name, text.first), text.second);
    return all;
  }

 private:
  void add(const std::string& name, const std::string& end, const std::string& text, const Mark& mark) {
    const std::vector<std::string> parts = split(name, '/');
    const bool inside = std::none_of(parts.begin(), parts.end(), [](const std::string& part) {
      return part.empty() || part == "." || part == ".." || part.find('\0') != std::string::npos;
    });
    if (!inside) throw validation_fault(cat("the data file \"", name, "\" would not be below hieradata/"), mark);
    texts_[name] = {end, text};
  }

  std::vector<std::string> hierarchy_;
  std::map<std::string, std::pair<std::string, std::string>> texts_;  ///< extension and text by name
};

}  // namespace

std::vector<std::pair<std::string, std::string>> hiera_files(const Value& document) {
  Hiera hiera;
  hiera.of_map(member(document, "hiera"));
  const Value deployments = member(document, "deployments");
  for (const Value& each : deployments.is_list() ? deployments.items() : std::vector<Value>{}) {
    const std::string group = python_str(member(each, "group"));
    if (group == "hiera") hiera.of_hook(member(each, "config"), python_str(member(each, "name")));
    if (group == "os-apply-config" || group == "Heat::Ungrouped") hiera.of_map(member(member(each, "config"), "hiera"));
  }
  return hiera.files();
}

}  // namespace hearth::metadata
