#include "builder/inspect/tree_diff.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>

#include "base/text.hpp"
#include "builder/packages/dpkg_status.hpp"

namespace hearth::builder {

namespace {

std::string file_kind_name(char kind) {
  switch (kind) {
    case 'd': return "directory";
    case 'l': return "link";
    case 'b': return "block device";
    case 'c': return "character device";
    case 'p': return "pipe";
    case 's': return "socket";
    default: return "file";
  }
}

std::vector<PackageChange> diff_packages(const FileTree& before, const FileTree& after) {
  const auto old_ones = parse_dpkg_status(before.text("var/lib/dpkg/status").value_or(""));
  const auto new_ones = parse_dpkg_status(after.text("var/lib/dpkg/status").value_or(""));
  std::vector<PackageChange> changes;
  for (const auto& [name, package] : old_ones) {
    const auto now = new_ones.find(name);
    const std::string version = now == new_ones.end() ? "" : now->second.version;
    if (version != package.version) changes.push_back({name, package.version, version});
  }
  for (const auto& [name, package] : new_ones) {
    if (!old_ones.contains(name)) changes.push_back({name, "", package.version});
  }
  std::sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return changes;
}

std::vector<std::string> differences(const TreeEntry& a, const TreeEntry& b, const DiffOptions& options) {
  if (a.kind != b.kind) return {cat(file_kind_name(a.kind), " → ", file_kind_name(b.kind))};
  std::vector<std::string> what;
  if (a.mode != b.mode && a.kind != 'l') what.push_back(cat("mode ", octal_mode(a.mode), " → ", octal_mode(b.mode)));
  if (a.uid != b.uid || a.gid != b.gid) {
    what.push_back(cat("owner ", a.uid, ":", a.gid, " → ", b.uid, ":", b.gid));
  }
  if (a.content != b.content) {
    if (a.kind == 'f')
      what.push_back(a.size == b.size ? std::string("content") : cat("content, ", a.size, " → ", b.size, " bytes"));
    else
      what.push_back(cat("\"", a.content, "\" → \"", b.content, "\""));
  }
  std::set<std::string> names;
  for (const auto& [name, value] : a.attributes) names.insert(name);
  for (const auto& [name, value] : b.attributes) names.insert(name);
  for (const std::string& name : names) {
    const auto old_value = a.attributes.find(name);
    const auto new_value = b.attributes.find(name);
    const bool same =
        old_value != a.attributes.end() && new_value != b.attributes.end() && old_value->second == new_value->second;
    if (!same) what.push_back(cat("attribute ", name));
  }
  if (options.times && a.time != b.time) what.push_back(cat("time ", a.time, " → ", b.time));
  return what;
}

bool is_left_out(const std::string& path, const DiffOptions& options) {
  return std::any_of(options.without.begin(), options.without.end(), [&](const std::string& each) {
    const std::string clean = normal_path(each).value_or(each);
    return path == clean || path.starts_with(cat(clean, "/"));
  });
}

}  // namespace

TreeDiff diff_trees(const FileTree& before, const FileTree& after, const DiffOptions& options) {
  TreeDiff diff{.packages = diff_packages(before, after)};
  std::map<std::string, FileChange> changes;
  for (const auto& [path, entry] : before.entries) {
    if (is_left_out(path, options)) continue;
    const auto other = after.entries.find(path);
    std::vector<std::string> what =
        other == after.entries.end() ? std::vector<std::string>{"removed"} : differences(entry, other->second, options);
    if (!what.empty()) changes[path] = {path, std::move(what)};
  }
  for (const auto& [path, entry] : after.entries) {
    if (!before.entries.contains(path) && !is_left_out(path, options)) changes[path] = {path, {"added"}};
  }
  for (auto& [path, change] : changes) diff.files.push_back(std::move(change));
  return diff;
}

namespace {

struct ChangeCount {
  std::size_t added = 0, removed = 0, changed = 0;

  /// "packages: 3 new, 1 gone"; empty where there is none.
  [[nodiscard]] std::string text(const char* what) const {
    std::vector<std::string> parts;
    if (added > 0) parts.push_back(cat(added, " new"));
    if (removed > 0) parts.push_back(cat(removed, " gone"));
    if (changed > 0) parts.push_back(cat(changed, " changed"));
    return parts.empty() ? "" : cat(what, ": ", join(parts, ", "));
  }
};

/// What a person reads before hundreds of lines.
std::string summary_of_changes(const TreeDiff& diff) {
  ChangeCount packages;
  for (const PackageChange& each : diff.packages)
    ++(each.before.empty() ? packages.added : each.after.empty() ? packages.removed : packages.changed);
  ChangeCount files;
  for (const FileChange& each : diff.files) {
    const std::string& what = each.what.front();
    ++(what == "added" ? files.added : what == "removed" ? files.removed : files.changed);
  }
  const std::string of_packages = packages.text("packages");
  const std::string of_files = files.text("files");
  return cat(of_packages, of_packages.empty() || of_files.empty() ? "" : "; ", of_files, "\n");
}

}  // namespace

std::string diff_text(const TreeDiff& diff, bool whole) {
  if (diff.empty()) return "";
  std::string text = summary_of_changes(diff);
  for (const PackageChange& each : diff.packages) {
    if (each.before.empty())
      text += cat("package + ", each.name, " ", each.after, "\n");
    else if (each.after.empty())
      text += cat("package - ", each.name, " ", each.before, "\n");
    else
      text += cat("package ~ ", each.name, " ", each.before, " → ", each.after, "\n");
  }
  std::string under;  // a directory that was added or removed as a whole
  std::string under_what;
  std::size_t hidden = 0;
  const auto flush = [&] {
    if (hidden > 0) text += cat("        … and ", hidden, " below it\n");
    hidden = 0;
  };
  for (const FileChange& each : diff.files) {
    const std::string what = join(each.what, "; ");
    const bool one_sided = what == "added" || what == "removed";
    if (!whole && one_sided && !under.empty() && what == under_what && each.path.starts_with(under)) {
      ++hidden;
      continue;
    }
    flush();
    under = one_sided ? cat(each.path, "/") : "";
    under_what = what;
    text += one_sided ? cat("file ", what == "added" ? "+" : "-", " /", each.path, "\n")
                      : cat("file ~ /", each.path, ": ", what, "\n");
  }
  flush();
  return text;
}

Json diff_json(const TreeDiff& diff) {
  Json json = {{"packages", Json::array()}, {"files", Json::array()}};
  for (const PackageChange& each : diff.packages) {
    Json row = {{"name", each.name}};
    row["before"] = each.before.empty() ? Json(nullptr) : Json(each.before);
    row["after"] = each.after.empty() ? Json(nullptr) : Json(each.after);
    json["packages"].push_back(std::move(row));
  }
  for (const FileChange& each : diff.files)
    json["files"].push_back({{"path", cat("/", each.path)}, {"what", each.what}});
  return json;
}

}  // namespace hearth::builder
