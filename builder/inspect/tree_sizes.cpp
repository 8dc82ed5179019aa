#include "builder/inspect/tree_sizes.hpp"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "builder/packages/dpkg_status.hpp"

namespace hearth::builder {

namespace {

using Sizes = std::map<std::string, std::uint64_t>;

constexpr std::size_t k_shown_levels = 3;
constexpr std::string_view k_file_lists = "var/lib/dpkg/info/";

/// Packages name files as they were before /bin, /lib and the like became links into /usr.
std::string real_path(const FileTree& tree, std::string_view named) {
  while (named.starts_with('/')) named.remove_prefix(1);
  const std::size_t slash = named.find('/');
  if (slash == std::string_view::npos) return std::string(named);
  const auto first = tree.entries.find(std::string(named.substr(0, slash)));
  if (first == tree.entries.end() || first->second.kind != 'l') return std::string(named);
  std::string target = first->second.content;
  while (target.starts_with('/')) target.erase(0, 1);
  return cat(target, named.substr(slash));
}

/// Path → the package that has brought it; of several the last one by name.
std::map<std::string, std::string> owners_of(const FileTree& tree) {
  std::map<std::string, std::string> owners;
  for (auto it = tree.texts.lower_bound(std::string(k_file_lists)); it != tree.texts.end(); ++it) {
    if (!it->first.starts_with(k_file_lists)) break;
    std::string package = it->first.substr(k_file_lists.size());
    package = package.substr(0, package.rfind('.'));
    package = package.substr(0, package.find(':'));  // the architecture
    for (const std::string& line : split_lines(it->second)) owners[real_path(tree, line)] = package;
  }
  return owners;
}

constexpr const char* k_base_system = "(the base system)";
constexpr const char* k_unasked = "(asked for by nobody)";
constexpr const char* k_command_line = "(-p)";

/// Packages, each with whose it and what it depends on is: the first that asks for it, the base system before all.
class Askers {
 public:
  Askers(const FileTree& tree, const PackageAskers& asked)
      : installed_(parse_dpkg_status(tree.text("var/lib/dpkg/status").value_or(""))) {
    for (const auto& [name, package] : installed_) {
      if (package.is_base) ahead_.emplace_back(name, k_base_system);
    }
    follow();
    for (const auto& [package, element] : asked)
      ahead_.emplace_back(package, element.empty() ? k_command_line : element);
    follow();
  }
  [[nodiscard]] std::string of(const std::string& package) const {
    const auto found = found_.find(package);
    return found == found_.end() ? k_unasked : found->second;
  }

 private:
  void follow() {
    while (!ahead_.empty()) {
      const auto [name, asker] = std::move(ahead_.front());
      ahead_.pop_front();
      const auto package = installed_.find(name);
      if (package == installed_.end() || !found_.emplace(name, asker).second) continue;
      for (const std::string& needed : package->second.depends) ahead_.emplace_back(needed, asker);
    }
  }

  std::map<std::string, InstalledPackage> installed_;
  std::deque<std::pair<std::string, std::string>> ahead_;
  std::map<std::string, std::string> found_;
};

void add_to_directories(Sizes& directories, const std::string& path, std::uint64_t bytes) {
  directories[""] += bytes;
  std::size_t at = path.find('/');
  for (std::size_t depth = 0; depth < k_shown_levels && at != std::string::npos; ++depth, at = path.find('/', at + 1))
    directories[path.substr(0, at)] += bytes;
}

struct Change {
  std::string name;
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  [[nodiscard]] std::uint64_t by() const { return before < after ? after - before : before - after; }
};

std::vector<Change> changes_of(const Sizes& before, const Sizes& after) {
  std::map<std::string, Change> all;
  for (const auto& [name, bytes] : before) all[name] = {name, bytes, 0};
  for (const auto& [name, bytes] : after) {
    all[name].name = name;
    all[name].after = bytes;
  }
  std::vector<Change> changes;
  for (const auto& [name, change] : all) {
    if (change.by() != 0) changes.push_back(change);
  }
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.by() > b.by(); });
  return changes;
}

std::string padded(std::string text, std::size_t width) {
  text.insert(0, text.size() < width ? width - text.size() : 0, ' ');
  return text;
}

std::string shown(const std::string& name, const char* nameless) { return name.empty() ? nameless : name; }

std::string table(const char* title, const Sizes& sizes, const char* nameless, std::size_t rows) {
  std::string text = cat("\n", title, "\n");
  std::size_t left = rows;
  for (const Change& row : changes_of({}, sizes)) {
    if (left-- == 0) break;
    text += cat(padded(human_bytes(row.after), 12), "  ", shown(row.name, nameless), "\n");
  }
  return text;
}

std::string difference_table(const char* title, const std::vector<Change>& changes, const char* nameless,
                             std::size_t rows) {
  if (changes.empty()) return "";
  std::string text = cat("\n", title, "\n");
  std::size_t left = rows;
  for (const Change& row : changes) {
    if (left-- == 0) break;
    text +=
        cat(padded(cat(row.before < row.after ? "+" : "-", human_bytes(row.by())), 12), "  ", shown(row.name, nameless),
            row.before == 0  ? " (new)"
            : row.after == 0 ? " (gone)"
                             : "",
            "\n");
  }
  return text;
}

constexpr const char* k_whole = "(all)";
constexpr const char* k_unowned = "(of no package)";
constexpr const char* k_unwritten = "(of no step that is known)";
constexpr const char* k_by_askers = "by element that asked for it, with what its packages depend on";
constexpr const char* k_no_askers =
    "\nwhich element asked for a package: not known; a build tells it in NAME.d/manifest.json, beside the image\n";
constexpr const char* k_no_record =
    "\nby element and step: not known; a build with --record tells in NAME.d/tree.tsv\n";

Json rows_json(const Sizes& sizes) {
  Json rows = Json::array();
  for (const Change& row : changes_of({}, sizes)) rows.push_back({{"name", row.name}, {"bytes", row.after}});
  return rows;
}

Json changes_json(const std::vector<Change>& changes) {
  Json rows = Json::array();
  for (const Change& row : changes) rows.push_back({{"name", row.name}, {"before", row.before}, {"after", row.after}});
  return rows;
}

}  // namespace

TreeSizes tree_sizes(const FileTree& tree, const FileWriters& writers, const PackageAskers& asked) {
  TreeSizes sizes;
  const std::map<std::string, std::string> owners = owners_of(tree);
  const Askers askers(tree, asked);
  for (const auto& [path, entry] : tree.entries) {
    if (entry.kind != 'f') continue;
    ++sizes.files;
    sizes.bytes += entry.size;
    add_to_directories(sizes.directories, path, entry.size);
    const auto owner = owners.find(path);
    const auto writer = writers.find(path);
    const bool is_known = writer != writers.end() && writer->second.size == entry.size;
    const std::string element = is_known ? writer->second.element : "";
    if (!writers.empty()) {
      sizes.elements[element] += entry.size;
      sizes.steps[is_known ? writer->second.step : ""] += entry.size;
    }
    if (!owners.empty()) sizes.packages[owner == owners.end() ? "" : owner->second] += entry.size;
    if (!asked.empty()) sizes.askers[owner == owners.end() ? element : askers.of(owner->second)] += entry.size;
  }
  return sizes;
}

std::string sizes_text(const TreeSizes& sizes, std::size_t rows) {
  std::string text = cat(sizes.files, " files, ", human_bytes(sizes.bytes), "\n");
  text += table("by directory, with all below it", sizes.directories, k_whole, rows);
  text += sizes.packages.empty() ? "\nno list of files of a package (dpkg) is in it\n"
                                 : table("by package", sizes.packages, k_unowned, rows);
  text += sizes.askers.empty() ? k_no_askers : table(k_by_askers, sizes.askers, k_unowned, rows);
  if (sizes.steps.empty()) return cat(text, k_no_record);
  return cat(text, table("by element whose step wrote it", sizes.elements, k_unwritten, rows),
             table("by step, the one that wrote a file last", sizes.steps, k_unwritten, rows));
}

Json sizes_json(const TreeSizes& sizes) {
  return {{"files", sizes.files},
          {"bytes", sizes.bytes},
          {"directories", rows_json(sizes.directories)},
          {"packages", rows_json(sizes.packages)},
          {"asked_by", rows_json(sizes.askers)},
          {"elements", rows_json(sizes.elements)},
          {"steps", rows_json(sizes.steps)}};
}

std::string sizes_difference_text(const TreeSizes& before, const TreeSizes& after, std::size_t rows) {
  const std::vector<Change> directories = changes_of(before.directories, after.directories);
  const std::vector<Change> packages = changes_of(before.packages, after.packages);
  const bool are_known = !before.steps.empty() && !after.steps.empty();
  return cat(human_bytes(before.bytes), " in ", before.files, " files -> ", human_bytes(after.bytes), " in ",
             after.files, " files\n", difference_table("by directory, with all below it", directories, k_whole, rows),
             difference_table("by package", packages, k_unowned, rows),
             difference_table(k_by_askers, changes_of(before.askers, after.askers), k_unowned, rows),
             are_known ? cat(difference_table("by element whose step wrote it",
                                              changes_of(before.elements, after.elements), k_unwritten, rows),
                             difference_table("by step", changes_of(before.steps, after.steps), k_unwritten, rows))
                       : k_no_record);
}

Json sizes_difference_json(const TreeSizes& before, const TreeSizes& after) {
  return {{"before", {{"files", before.files}, {"bytes", before.bytes}}},
          {"after", {{"files", after.files}, {"bytes", after.bytes}}},
          {"directories", changes_json(changes_of(before.directories, after.directories))},
          {"packages", changes_json(changes_of(before.packages, after.packages))},
          {"asked_by", changes_json(changes_of(before.askers, after.askers))},
          {"elements", changes_json(changes_of(before.elements, after.elements))},
          {"steps", changes_json(changes_of(before.steps, after.steps))}};
}

}  // namespace hearth::builder
