#include "builder/inspect/container_reader.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/hex.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::string_view k_gone = ".wh.";
constexpr std::string_view k_all_gone = ".wh..wh..opq";
constexpr const char* k_layout = "oci-layout";
constexpr const char* k_index = "index.json";
constexpr const char* k_saved = "manifest.json";

void remove_all_below(FileTree& tree, const std::string& path) {
  const auto is_below = [&](const auto& each) { return path.empty() || each.first.starts_with(cat(path, "/")); };
  std::erase_if(tree.entries, [&](const auto& each) { return !each.first.empty() && is_below(each); });
  std::erase_if(tree.texts, is_below);
}

void remove_entry(FileTree& tree, const std::string& path) {
  remove_all_below(tree, path);
  tree.entries.erase(path);
  tree.texts.erase(path);
}

/// A file of the directory by a name that anybody may have written, as a link there.
fs::path inner_file(const fs::path& directory, const std::string& name) {
  const std::optional<std::string> path = normal_path(name);
  boost::system::error_code failed;
  const fs::path file = fs::canonical(directory / path.value_or(""), failed);
  const bool is_inside = !failed && file.string().starts_with(cat(fs::canonical(directory).string(), "/"));
  if (path && is_inside && fs::is_regular_file(file)) return file;
  throw Error(ErrorKind::input, cat("the container image lacks its file ", name));
}

Json inner_document(const fs::path& directory, const std::string& name) {
  const fs::path file = inner_file(directory, name);
  return parse_json(read_file(file), file.string()).value_or_throw();
}

std::string blob_name(const Json& descriptor) {
  const std::string digest = text_member(descriptor, "digest");
  const std::size_t colon = digest.find(':');
  if (colon == std::string::npos) throw Error(ErrorKind::input, "the container image names a blob without a digest");
  return cat("blobs/", digest.substr(0, colon), "/", digest.substr(colon + 1));
}

std::string list_text(const Json& list) { return list.is_array() && !list.empty() ? format_json(list) : ""; }

void add_settings(const Json& json, ContainerContents& contents) {
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) contents.facts.emplace_back(name, value);
  };
  add("platform", cat(text_member(json, "os"), "/", text_member(json, "architecture")));
  const Json& config = member_or_null(json, "config");
  add("entrypoint", list_text(member_or_null(config, "Entrypoint")));
  add("command", list_text(member_or_null(config, "Cmd")));
  add("user", text_member(config, "User"));
  add("directory", text_member(config, "WorkingDir"));
  std::vector<std::string> ports;
  if (const Json& exposed = member_or_null(config, "ExposedPorts"); exposed.is_object()) {
    for (const auto& [port, value] : exposed.items()) ports.push_back(port);
  }
  add("ports", join(ports, ","));
}

void lay_over(const fs::path& directory, const std::string& name, const std::string& digest,
              ContainerContents& contents) {
  const fs::path file = inner_file(directory, name);
  put_over(contents.tree, read_archive(file));
  contents.layers.push_back({digest, "", fs::file_size(file)});
}

/// The history has an entry for each layer, and some that made none.
void add_history(const Json& config, ContainerContents& contents) {
  std::size_t at = 0;
  for (const Json& each : list_member(config, "history")) {
    if (member_or_null(each, "empty_layer") == true) continue;
    if (at < contents.layers.size()) contents.layers[at++].made_by = text_member(each, "created_by");
  }
}

ContainerContents read_layout(const fs::path& directory) {
  ContainerContents contents{.kind = "oci"};
  const Json index = inner_document(directory, k_index);
  const Json& entries = list_member(index, "manifests");
  if (entries.empty()) throw Error(ErrorKind::input, cat(k_index, " names no image"));
  const std::string tag =
      text_member(member_or_null(entries.front(), "annotations"), "org.opencontainers.image.ref.name");
  if (!tag.empty()) contents.facts.emplace_back("tag", tag);
  Json manifest = inner_document(directory, blob_name(entries.front()));
  if (const Json inner = list_member(manifest, "manifests"); !inner.empty())  // one for each platform
    manifest = inner_document(directory, blob_name(inner.front()));
  const Json config = inner_document(directory, blob_name(member_or_null(manifest, "config")));
  add_settings(config, contents);
  for (const Json& layer : list_member(manifest, "layers"))
    lay_over(directory, blob_name(layer), text_member(layer, "digest"), contents);
  add_history(config, contents);
  return contents;
}

ContainerContents read_saved(const fs::path& directory) {
  ContainerContents contents{.kind = "docker"};
  const Json manifest = inner_document(directory, k_saved);
  if (!manifest.is_array() || manifest.empty()) throw Error(ErrorKind::input, cat(k_saved, " names no image"));
  const Json& image = manifest.front();
  for (const Json& tag : list_member(image, "RepoTags")) {
    if (tag.is_string()) contents.facts.emplace_back("tag", tag.get<std::string>());
  }
  const Json config = inner_document(directory, text_member(image, "Config"));
  add_settings(config, contents);
  const Json& digests = list_member(member_or_null(config, "rootfs"), "diff_ids");
  for (const Json& layer : list_member(image, "Layers")) {
    const std::size_t at = contents.layers.size();
    const bool is_told = at < digests.size() && digests[at].is_string();
    lay_over(directory, layer.is_string() ? layer.get<std::string>() : "",
             is_told ? digests[at].get<std::string>() : "", contents);
  }
  add_history(config, contents);
  return contents;
}

}  // namespace

void put_over(FileTree& tree, const FileTree& layer) {
  const auto in_parent = [](const std::string& path, const std::string& name) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? name : cat(path.substr(0, slash), name.empty() ? "" : "/", name);
  };
  const auto name_of = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  for (const auto& [path, entry] : layer.entries) {
    const std::string name = name_of(path);
    if (name == k_all_gone) {
      remove_all_below(tree, in_parent(path, ""));
    } else if (name.starts_with(k_gone)) {
      remove_entry(tree, in_parent(path, name.substr(k_gone.size())));
    }
  }
  for (const auto& [path, entry] : layer.entries) {
    if (name_of(path).starts_with(k_gone)) continue;
    if (entry.kind != 'd') remove_entry(tree, path);
    tree.entries[path] = entry;
    if (const auto text = layer.texts.find(path); text != layer.texts.end()) tree.texts[path] = text->second;
  }
}

bool is_container(const FileTree& tree) {
  return tree.entries.contains(k_saved) || (tree.entries.contains(k_layout) && tree.entries.contains(k_index));
}

ContainerContents read_container(const fs::path& directory) {
  if (fs::is_regular_file(directory / k_layout) && fs::is_regular_file(directory / k_index))
    return read_layout(directory);
  if (fs::is_regular_file(directory / k_saved)) return read_saved(directory);
  throw Error(ErrorKind::input, "it is a directory, and neither an OCI layout nor a disk")
      .hint("An image is a file, as NAME.qcow2, or the directory that -t oci makes.");
}

}  // namespace hearth::builder
