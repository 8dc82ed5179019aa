#include "agent/apply/metadata.hpp"

#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

std::vector<std::string> read_list(const std::string& path, const FileReader& reader) {
  const std::optional<std::string> text = reader.read(path);
  if (!text) return {};
  const Json list = parse_python_json(*text, path).value_or_throw();
  if (!list.is_array()) throw Error(ErrorKind::input, cat("No list defined in json file: ", path));
  std::vector<std::string> files;
  for (const Json& item : list) {
    if (!item.is_string()) throw Error(ErrorKind::input, cat("the list in ", path, " holds more than file names"));
    files.push_back(item.get<std::string>());
  }
  return files;
}

std::optional<std::string> read_document(const std::string& file, const FileReader& reader) {
  try {
    return reader.read(file);
  } catch (const Error& error) {
    throw Error(ErrorKind::io, cat("Could not open ", file, " for reading. ", error.what()));
  }
}

}  // namespace

std::vector<std::string> metadata_files(const MetadataChoice& choice, const Environment& env, const FileReader& reader,
                                        Logger& log) {
  if (!choice.files.empty()) return choice.files;
  const auto from_env = env.find("OS_CONFIG_FILES");
  if (from_env != env.end()) return split(from_env->second, ':');
  std::vector<std::string> files = read_list(choice.list_file, reader);
  if (files.empty() && choice.list_file == k_os_config_files) {
    log.warning(cat("DEPRECATED: falling back to ", k_old_os_config_files));
    files = read_list(std::string(k_old_os_config_files), reader);
  }
  return files;
}

MergedMetadata MergedMetadata::read(const std::vector<std::string>& files, const FileReader& reader) {
  MergedMetadata metadata;
  for (const std::string& file : files) {
    std::optional<std::string> text = file.empty() ? std::nullopt : read_document(file, reader);
    if (text) metadata.add(std::move(*text), file);
  }
  return metadata;
}

void MergedMetadata::add(std::string text, const std::string& file) {
  const std::string& document = documents_.emplace_back(std::move(text));
  Result<std::optional<std::vector<JsonMember>>> members = python_json_members(document, file);
  if (!members) {
    throw Error(ErrorKind::input, cat("Could not parse metadata file: ", file)).hint(members.error().text());
  }
  if (!members.value()) return;
  index_.reserve(index_.size() + (*members)->size());
  const std::size_t number = documents_.size();
  for (JsonMember& member : *members.value()) {
    const auto found = index_.find(member.key);
    if (found == index_.end()) {
      auto& made = members_.emplace_back(std::move(member.key), Member{{member.value, number, nullptr}, {}});
      index_.emplace(made.first, &made.second);
    } else if (Layer& top = found->second->top; top.document == number) {
      top.text = member.value;
    } else {
      top = {member.value, number, std::make_unique<Layer>(std::move(top))};
    }
  }
}

Json MergedMetadata::Layer::value() const {
  Json value = parse_python_json(text, "metadata").value_or_throw();
  return below ? merge_metadata(below->value(), std::move(value)) : value;
}

const Json& MergedMetadata::value_of(const Member& member) {
  if (!member.value) member.value = member.top.value();
  return *member.value;
}

const Json* MergedMetadata::member(const std::string& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &value_of(*found->second);
}

const Json& MergedMetadata::value() const {
  if (!whole_) {
    whole_ = Json::object();
    for (const auto& [name, member] : members_) whole_->get_ref<Json::object_t&>().push_back({name, value_of(member)});
  }
  return *whole_;
}

Json merge_metadata(Json lower, Json upper) {
  if (!lower.is_object() || !upper.is_object() || lower.empty()) return upper;
  for (auto item = upper.begin(); item != upper.end(); ++item) {
    const auto found = lower.find(item.key());
    if (found == lower.end()) {
      lower[item.key()] = std::move(item.value());
    } else {
      *found = merge_metadata(std::move(*found), std::move(item.value()));
    }
  }
  return lower;
}

const Json& metadata_below(const MetadataRoot& metadata, const std::string& dotted) {
  const std::vector<std::string> parts = split(dotted, '.');
  const Json* value = metadata.member(parts.front());
  for (std::size_t i = 1; i < parts.size() && value != nullptr; ++i) value = find_member(*value, parts[i]);
  if (value == nullptr || !value->is_object()) {
    throw Error(ErrorKind::input, cat("key '", dotted, "' does not correspond to a hash in the metadata file"));
  }
  return *value;
}

}  // namespace hearth::agent
