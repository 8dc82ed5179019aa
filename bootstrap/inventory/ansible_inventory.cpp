#include "bootstrap/inventory/ansible_inventory.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::bootstrap {

namespace {

using metadata::Entry;
using metadata::Value;

constexpr std::size_t k_most_hosts = 200'000;
constexpr int k_deepest = 50;
constexpr std::size_t k_longest_name = 255;
constexpr std::ptrdiff_t k_most_ranges = 4;  // of one name
/// Of names and variables: each host has its groups' again.
constexpr std::size_t k_most_bytes = std::size_t{256} << 20U;
constexpr std::string_view k_too_large =
    "more than 256 MiB of variables, those of groups counted for each host; hand the hosts in by several files";

ParseError fault_at(std::string_view source, Position at, std::string what) {
  return {std::string(source), at, std::move(what)};
}

/// What lies on top wins; places come along.
void lay_over(ListingEntry& below, const ListingEntry& above) {
  if (above.data.is_object()) below.data.update(above.data);
  for (const auto& [path, at] : above.places) below.places[path] = at;
}

struct HostGroup {
  std::set<std::string> children;
  std::set<std::string> hosts;
  ListingEntry variables;
};

/// Groups and hosts as they are read, in any order.
class HostTree {
 public:
  HostGroup& group(const std::string& name) { return groups_[name]; }
  [[nodiscard]] bool has_group(const std::string& name) const { return groups_.contains(name); }
  [[nodiscard]] std::vector<std::string> group_names() const {
    std::vector<std::string> names;
    for (const auto& [name, group] : groups_) names.push_back(name);
    return names;
  }

  /// All hosts of a pattern; empty, or why they are too many.
  std::string add_hosts(const std::string& group_name, const std::string& pattern, const ListingEntry& variables) {
    if (pattern.size() > k_longest_name) return cat("a host's name has ", k_longest_name, " bytes at most");
    if (std::count(pattern.begin(), pattern.end(), '[') > k_most_ranges)
      return cat("a host's name has ", k_most_ranges, " ranges at most");
    const std::vector<std::string> names = expand_host_range(pattern);
    const auto fresh_ones =
        std::count_if(names.begin(), names.end(), [&](const std::string& name) { return !hosts_.contains(name); });
    if (static_cast<std::size_t>(fresh_ones) + order_.size() > k_most_hosts)
      return cat("more than ", k_most_hosts, " hosts");
    bytes_ += names.size() * (names.back().size() + format_json(variables.data, {.lossy = true}).size());
    if (bytes_ > k_most_bytes) return std::string(k_too_large);
    for (const std::string& name : names) {
      groups_[group_name].hosts.insert(name);
      const auto [host, fresh] = hosts_.try_emplace(name, variables);
      if (fresh) order_.push_back(name);
      if (!fresh) lay_over(host->second, variables);
    }
    return "";
  }

  /// Parents' variables below children's, those of one depth in the order of their names, a host's own on top.
  [[nodiscard]] Result<std::vector<InventoryHost>> hosts(std::string_view source) const {
    const GroupsOfHosts of_host = groups_of_hosts();
    if (bytes_with_groups(of_host) > k_most_bytes) return fault_at(source, {1, 1}, std::string(k_too_large));
    std::vector<InventoryHost> all;
    for (const std::string& name : order_) {
      InventoryHost host{name, {}};
      host.variables.at = hosts_.at(name).at;
      if (const auto everybody = groups_.find("all"); everybody != groups_.end())
        lay_over(host.variables, everybody->second.variables);
      if (const auto groups = of_host.find(name); groups != of_host.end()) {
        for (const auto& [depth, group] : groups->second) lay_over(host.variables, groups_.at(group).variables);
      }
      lay_over(host.variables, hosts_.at(name));
      all.push_back(std::move(host));
    }
    return all;
  }

 private:
  void deepen(const std::string& name, int depth, std::map<std::string, int>& depths) const {
    if (depth > k_deepest) return;
    depths[name] = std::max(depths[name], depth);
    const auto group = groups_.find(name);
    if (group == groups_.end()) return;
    for (const std::string& child : group->second.children) {
      if (depths[child] <= depth) deepen(child, depth + 1, depths);
    }
  }

  /// Each with its depth.
  using GroupsOfHosts = std::map<std::string, std::set<std::pair<int, std::string>>>;
  using Parents = std::map<std::string, std::vector<std::string>>;

  [[nodiscard]] std::size_t bytes_with_groups(const GroupsOfHosts& of_host) const {
    std::map<std::string, std::size_t> sizes;
    for (const auto& [name, group] : groups_) sizes[name] = format_json(group.variables.data, {.lossy = true}).size();
    std::size_t bytes = bytes_ + (groups_.contains("all") ? sizes["all"] * order_.size() : 0);
    for (const auto& [host, groups] : of_host) {
      for (const auto& [depth, group] : groups) bytes += sizes.at(group);
    }
    return bytes;
  }

  [[nodiscard]] GroupsOfHosts groups_of_hosts() const {
    std::map<std::string, int> depths;
    for (const auto& [name, group] : groups_) depths.try_emplace(name, name == "all" ? 0 : 1);
    for (const auto& [name, group] : groups_) deepen(name, depths.at(name), depths);
    Parents parents;
    for (const auto& [name, group] : groups_) {
      for (const std::string& child : group.children) parents[child].push_back(name);
    }
    GroupsOfHosts of_host;
    for (const auto& [name, group] : groups_) {
      for (const std::string& host : group.hosts) collect(name, depths, parents, of_host[host], 0);
    }
    return of_host;
  }

  /// The group and all groups that it is a child of.
  static void collect(const std::string& name, const std::map<std::string, int>& depths, const Parents& parents,
                      std::set<std::pair<int, std::string>>& into, int level) {
    if (level > k_deepest || !into.emplace(depths.at(name), name).second) return;
    const auto above = parents.find(name);
    if (above == parents.end()) return;
    for (const std::string& parent : above->second) collect(parent, depths, parents, into, level + 1);
  }

  std::map<std::string, HostGroup> groups_;
  std::map<std::string, ListingEntry> hosts_;
  std::vector<std::string> order_;
  std::size_t bytes_ = 0;
};

/// "key=value", as Ansible reads it: Python's literals are values, everything else is text.
Json ini_value(const std::string& text) {
  if (text == "True" || text == "true") return true;
  if (text == "False" || text == "false") return false;
  if (text.empty() || (text.front() != '{' && text.front() != '[')) return text;
  for (const std::string& written : {text, replace_all(text, "'", "\"")}) {
    if (Json value = json_or_null(written); !value.is_null()) return value;
  }
  return text;
}

/// Words, with quotes and comments as in a shell; nothing where a quote stays open.
std::optional<std::vector<std::string>> ini_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool begun = false;
  char quote = 0;
  for (const char c : line) {
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word.push_back(c);
    } else if (c == '"' || c == '\'') {
      quote = c;
      begun = true;
    } else if (c == ' ' || c == '\t') {
      if (begun) words.push_back(std::exchange(word, ""));
      begun = false;
    } else if (c == '#' && !begun) {
      break;
    } else {
      word.push_back(c);
      begun = true;
    }
  }
  if (quote != 0) return std::nullopt;
  if (begun) words.push_back(word);
  return words;
}

class IniReader {
 public:
  IniReader(std::string_view source) : source_(source) {}

  Result<std::vector<InventoryHost>> read(std::string_view text) {
    for (const std::string& line : split_lines(text)) {
      ++number_;
      const std::string_view trimmed = trim(line);
      if (trimmed.empty() || trimmed.front() == '#' || trimmed.front() == ';') continue;
      const std::string fault = trimmed.front() == '[' ? section(trimmed) : row(trimmed);
      if (!fault.empty()) return fault_at(source_, {number_, 1}, fault);
    }
    for (const auto& [group, line] : wanted_) {
      if (tree_.has_group(group)) continue;
      const std::optional<std::string> near = nearest(group, tree_.group_names());
      return fault_at(source_, {line, 1},
                      cat("there is no group [", group, "]", near ? cat("; do you mean [", *near, "]?") : ""));
    }
    for (auto& [group, variables] : variables_) tree_.group(group).variables = std::move(variables);
    return tree_.hosts(source_);
  }

 private:
  std::string section(std::string_view line) {
    const std::size_t end = line.find(']');
    if (end == std::string_view::npos) return "a section ends with ]";
    const std::string whole(line.substr(1, end - 1));
    const std::size_t colon = whole.find(':');
    group_ = whole.substr(0, colon);
    what_ = colon == std::string::npos ? "hosts" : whole.substr(colon + 1);
    if (what_ != "hosts" && what_ != "children" && what_ != "vars") {
      const std::optional<std::string> near = nearest(what_, {"hosts", "children", "vars"});
      return cat("a section is [GROUP], [GROUP:children] or [GROUP:vars], not [", whole, "]",
                 near ? cat("; do you mean :", *near, "?") : "");
    }
    if (what_ == "vars") wanted_.emplace_back(group_, number_);
    if (what_ != "vars" || group_ == "all" || group_ == "ungrouped") tree_.group(group_);
    return "";
  }

  std::string row(std::string_view line) {
    if (what_ == "vars") return variable(line);
    const std::optional<std::vector<std::string>> words = ini_words(line);
    if (!words) return "a quote is not closed";
    if (words->empty()) return "";
    if (what_ == "children") {
      if (words->size() != 1) return "the name of one group is expected";
      tree_.group(group_).children.insert(words->front());
      wanted_.emplace_back(words->front(), number_);
      return "";
    }
    ListingEntry entry;
    entry.at = {number_, 1};
    for (std::size_t i = 1; i < words->size(); ++i) {
      const std::size_t equals = (*words)[i].find('=');
      if (equals == std::string::npos)
        return cat("word ", i + 1, " has no =: behind the host's name KEY=VALUE is expected, without a space at the =");
      const std::string key = (*words)[i].substr(0, equals);
      entry.data[key] = ini_value((*words)[i].substr(equals + 1));
      entry.places[key] = entry.at;
    }
    return tree_.add_hosts(group_, words->front(), entry);
  }

  std::string variable(std::string_view line) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return "KEY=VALUE is expected";
    const std::string key(trim(line.substr(0, equals)));
    std::string value(trim(line.substr(equals + 1)));
    if (value.size() > 1 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
      value = value.substr(1, value.size() - 2);
    ListingEntry& variables = variables_[group_];
    variables.data[key] = ini_value(value);
    variables.places[key] = {number_, 1};
    return "";
  }

  std::string_view source_;
  HostTree tree_;
  std::string group_ = "ungrouped";
  std::string what_ = "hosts";
  int number_ = 0;
  std::vector<std::pair<std::string, int>> wanted_;
  std::map<std::string, ListingEntry> variables_;  // which make no group: those of a misspelt one would reach no host
};

/// YAML's groups: {"hosts": {NAME: VARIABLES}, "children": {NAME: GROUP}, "vars": …}; JSON's have lists of names.
class ValueReader {
 public:
  ValueReader(EntryReader& reader, std::string_view source) : reader_(reader), source_(source) {}

  Result<std::vector<InventoryHost>> read(const Value& top) {
    const Value* meta = top.find("_meta");
    const Value* variables = meta == nullptr || !meta->is_map() ? nullptr : meta->find("hostvars");
    for (const Entry& entry : top.entries()) {
      if (metadata::python_str(entry.key) != "_meta") group(metadata::python_str(entry.key), entry.value, 0);
    }
    if (variables != nullptr && variables->is_map()) {
      for (const Entry& entry : variables->entries()) {
        ListingEntry host = reader_.entry(entry.value);
        host.at = reader_.position(entry.key);
        if (const std::string fault = tree_.add_hosts("all", metadata::python_str(entry.key), host); !fault.empty())
          refuse(entry.key, fault);
        if (!fault_.empty()) break;
      }
    }
    if (!fault_.empty()) return fault_at(source_, at_, fault_);
    return tree_.hosts(source_);
  }

 private:
  void refuse(const Value& at, std::string what) {
    if (!fault_.empty()) return;
    fault_ = std::move(what);
    at_ = reader_.position(at);
  }

  void group(const std::string& name, const Value& value, int level) {
    if (!fault_.empty()) return;
    if (level > k_deepest) return refuse(value, "groups lie in each other too deep");
    tree_.group(name);
    if (value.is_null()) return;
    if (value.is_list()) return hosts(name, value);
    if (!value.is_map()) return refuse(value, cat("the group ", name, " is to have hosts, children or vars"));
    for (const Entry& entry : value.entries()) {
      const std::string key = metadata::python_str(entry.key);
      if (key == "hosts") {
        hosts(name, entry.value);
      } else if (key == "vars") {
        variables(name, entry.value);
      } else if (key == "children") {
        children(name, entry.value, level);
      } else {
        const std::optional<std::string> near = nearest(key, {"hosts", "children", "vars"});
        refuse(entry.key,
               cat("a group has hosts, children and vars, not ", key, near ? cat("; do you mean ", *near, "?") : ""));
      }
    }
  }

  /// Of a group that stands in several places all count, those of the last above the others.
  void variables(const std::string& name, const Value& value) {
    if (value.is_map()) return lay_over(tree_.group(name).variables, reader_.entry(value));
    if (!value.is_null()) refuse(value, cat("the variables of the group ", name, " are to be an object"));
  }

  void children(const std::string& name, const Value& value, int level) {
    if (value.is_list()) {
      for (const Value& item : value.items()) tree_.group(name).children.insert(metadata::python_str(item));
    } else if (value.is_map()) {
      for (const Entry& child : value.entries()) {
        tree_.group(name).children.insert(metadata::python_str(child.key));
        group(metadata::python_str(child.key), child.value, level + 1);
      }
    } else if (!value.is_null()) {
      refuse(value, cat("the children of the group ", name, " are to be an object, or a list of names"));
    }
  }

  void hosts(const std::string& name, const Value& value) {
    if (value.is_list()) {
      for (const Value& item : value.items()) add(name, item, Value());
    } else if (value.is_map()) {
      for (const Entry& entry : value.entries()) add(name, entry.key, entry.value);
    } else if (!value.is_null()) {
      refuse(value, cat("the hosts of the group ", name, " are to be an object, or a list of names"));
    }
  }

  void add(const std::string& group_name, const Value& key, const Value& variables) {
    if (!fault_.empty()) return;
    ListingEntry entry = variables.is_map() ? reader_.entry(variables) : ListingEntry{};
    entry.at = reader_.position(key);
    if (const std::string fault = tree_.add_hosts(group_name, metadata::python_str(key), entry); !fault.empty())
      refuse(key, fault);
  }

  EntryReader& reader_;
  std::string_view source_;
  HostTree tree_;
  std::string fault_;
  Position at_;
};

/// "01:10" or "a:f", with ":2" behind for every second; nothing for what is no range.
std::vector<std::string> range_of(std::string_view text) {
  const std::vector<std::string> parts = split(text, ':');
  const std::uint64_t step = parts.size() == 3 ? parse_number(parts[2]).value_or(0) : 1;
  if (parts.size() < 2 || parts.size() > 3 || step == 0 || step > k_most_hosts) return {};
  std::vector<std::string> items;
  const std::optional<std::uint64_t> from = parse_number(parts[0]);
  const std::optional<std::uint64_t> to = parse_number(parts[1]);
  if (from && to && *to < *from + k_most_hosts) {
    for (std::uint64_t i = *from; i <= *to; i += step) {
      std::string digits = cat(i);
      if (digits.size() < parts[0].size()) digits.insert(0, parts[0].size() - digits.size(), '0');
      items.push_back(std::move(digits));
    }
  } else if (parts[0].size() == 1 && parts[1].size() == 1 && !from && !to) {
    for (int c = parts[0][0]; c <= parts[1][0]; c += static_cast<int>(step))
      items.emplace_back(1, static_cast<char>(c));
  }
  return items;
}

}  // namespace

std::vector<std::string> expand_host_range(const std::string& pattern) {
  const std::size_t begin = pattern.find('[');
  const std::size_t end = begin == std::string::npos ? begin : pattern.find(']', begin);
  if (end == std::string::npos) return {pattern};
  const std::vector<std::string> rests = expand_host_range(pattern.substr(end + 1));
  std::vector<std::string> names;
  for (const std::string& item : range_of(std::string_view(pattern).substr(begin + 1, end - begin - 1))) {
    for (const std::string& rest : rests) names.push_back(cat(pattern.substr(0, begin), item, rest));
    if (names.size() > k_most_hosts) break;
  }
  return names.empty() ? std::vector<std::string>{pattern} : names;
}

Result<std::vector<InventoryHost>> read_ansible_ini(std::string_view text, std::string_view source) {
  return IniReader(source).read(text);
}

Result<std::vector<InventoryHost>> ansible_hosts(const Value& top, EntryReader& reader, std::string_view source) {
  return ValueReader(reader, source).read(top);
}

}  // namespace hearth::bootstrap
