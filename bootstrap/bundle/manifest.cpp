#include "bootstrap/bundle/manifest.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "base/foreign_json.hpp"
#include "base/hex.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap::bundle {

namespace {

constexpr int k_version = 1;
constexpr int k_indent = 1;

bool is_plain_path(const std::string& path) {
  if (path.empty() || path.front() == '/' || path.find('\0') != std::string::npos) return false;
  const std::vector<std::string> parts = split(path, '/');
  return std::none_of(parts.begin(), parts.end(),
                      [](const std::string& part) { return part.empty() || part == "." || part == ".."; });
}

using Links = std::map<std::string, std::string>;  ///< targets by path

/// A link must lead to something below the directory that the bundle is unpacked into, as the kernel follows it:
/// through the bundle's other links, too.
bool leads_out(const std::string& path, const Links& links) {
  constexpr int k_most = 40;  // as the kernel has it
  std::vector<std::string> at = split(path, '/');
  std::deque<std::string> left = {at.back()};
  at.pop_back();
  int followed = 0;
  while (!left.empty()) {
    const std::string part = left.front();
    left.pop_front();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (at.empty()) return true;
      at.pop_back();
      continue;
    }
    at.push_back(part);
    const auto link = links.find(join(at, "/"));
    if (link == links.end()) continue;
    if (link->second.empty() || link->second.front() == '/' || ++followed > k_most) return true;
    at.pop_back();
    const std::vector<std::string> target = split(link->second, '/');
    left.insert(left.begin(), target.begin(), target.end());
  }
  return false;
}

/// The reason why an entry can't be in a bundle; empty when it can.
std::string fault_of(const Entry& entry, const Links& links) {
  if (!is_plain_path(entry.path)) return cat("'", entry.path, "' is no path below the bundle's directory");
  if (entry.path == k_manifest_name || entry.path == k_signature_name)
    return cat("'", entry.path, "' is the bundle's own");
  for (std::size_t slash = entry.path.find('/'); slash != std::string::npos; slash = entry.path.find('/', slash + 1)) {
    if (links.count(entry.path.substr(0, slash)) > 0) return cat("'", entry.path, "' leads through a link");
  }
  if (entry.is_link) return "";  // when all of them are known
  const bool digest = is_hex(entry.content, 64);
  return digest ? "" : cat("'", entry.path, "' has no digest");
}

Entry entry_of(const Json& json) {
  Entry entry;
  entry.path = json.at("path").get<std::string>();
  entry.is_link = json.contains("target");
  entry.mode = json.value("mode", 0644U) & 0777U;
  entry.size = json.value("size", std::uint64_t{0});
  entry.content = entry.is_link ? json.at("target").get<std::string>() : json.at("sha256").get<std::string>();
  return entry;
}

}  // namespace

std::uint64_t Manifest::bytes() const {
  std::uint64_t sum = 0;
  for (const Entry& entry : entries) sum += entry.size;
  return sum;
}

std::string manifest_text(const Manifest& manifest) {
  Json entries = Json::array();
  for (const Entry& entry : manifest.entries) {
    if (entry.is_link) {
      entries.push_back({{"path", entry.path}, {"target", entry.content}});
    } else {
      entries.push_back({{"path", entry.path}, {"mode", entry.mode}, {"size", entry.size}, {"sha256", entry.content}});
    }
  }
  const Json json = {{"hearth_bundle", k_version},  {"name", manifest.name}, {"created", manifest.created_s},
                     {"made_by", manifest.made_by}, {"site", manifest.site}, {"entries", std::move(entries)}};
  return cat(format_json(json, {.indent = k_indent}), "\n");
}

Result<Manifest> parse_manifest(std::string_view text, std::string_view source) {
  const auto wrong = [&](std::string what) { return ParseError{std::string(source), {}, std::move(what)}; };
  Result<Json> json = parse_json(text, source);
  if (!json) return json.error();
  try {
    if (!json->is_object() || json->value("hearth_bundle", 0) != k_version) {
      return wrong(cat("this is no bundle's manifest of version ", k_version));
    }
    Manifest manifest;
    manifest.name = json->value("name", "");
    manifest.created_s = json->value("created", std::int64_t{0});
    manifest.made_by = json->value("made_by", "");
    manifest.site = json->value("site", Json());
    std::set<std::string> paths;
    Links links;
    for (const Json& each : json->at("entries")) {
      Entry entry = entry_of(each);
      if (const std::string fault = fault_of(entry, links); !fault.empty()) return wrong(fault);
      if (!paths.insert(entry.path).second) return wrong(cat("'", entry.path, "' is in it twice"));
      if (entry.is_link) links[entry.path] = entry.content;
      manifest.entries.push_back(std::move(entry));
    }
    for (const auto& [path, target] : links) {
      if (leads_out(path, links)) return wrong(cat("the link '", path, "' leads out"));
    }
    return manifest;
  } catch (const Json::exception& error) {
    return wrong(cat("the manifest is not understood: ", json_fault(error)));
  }
}

}  // namespace hearth::bootstrap::bundle
