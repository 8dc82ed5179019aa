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

Json read_metadata(const std::vector<std::string>& files, const FileReader& reader) {
  Json merged = Json::object();
  for (const std::string& file : files) {
    const std::optional<std::string> text = file.empty() ? std::nullopt : read_document(file, reader);
    if (!text) continue;
    Result<Json> document = parse_python_json(*text, file);
    if (!document) {
      throw Error(ErrorKind::input, cat("Could not parse metadata file: ", file)).hint(document.error().text());
    }
    if (document->is_object()) merged = merge_metadata(std::move(merged), std::move(document).value());
  }
  return merged;
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

const Json& metadata_below(const Json& metadata, const std::string& dotted) {
  if (dotted.empty()) return metadata;
  const Json* value = &metadata;
  for (const std::string& part : split(dotted, '.')) {
    value = find_member(*value, part);
    if (value == nullptr) break;
  }
  if (value == nullptr || !value->is_object()) {
    throw Error(ErrorKind::input, cat("key '", dotted, "' does not correspond to a hash in the metadata file"));
  }
  return *value;
}

}  // namespace hearth::agent
