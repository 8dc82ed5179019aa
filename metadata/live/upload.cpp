#include "metadata/live/upload.hpp"

#include <functional>
#include <map>

#include "base/text.hpp"
#include "metadata/compile/files.hpp"
#include "metadata/compile/mending.hpp"
#include "metadata/compile/request.hpp"
#include "metadata/compile/validation.hpp"
#include "metadata/live/value_json.hpp"
#include "metadata/model/plain_words.hpp"
#include "metadata/model/yaml_reader.hpp"
#include "metadata/roles/rendered_tree.hpp"

namespace hearth::metadata::live {

namespace {

/// Files of the disk, or of a rendered tree, remembering what was read.
class RecordingFiles final : public FileSource {
 public:
  RecordingFiles(std::unique_ptr<FileSource> files, std::string directory, std::map<std::string, std::string>& read)
      : files_(std::move(files)), directory_(std::move(directory)), read_(read) {}
  /// Names that are still relative are so to the root template: a group's member has no file of its own.
  [[nodiscard]] std::optional<std::string> read(const std::string& name) override {
    const std::string path = relative_to(cat(directory_, "/x"), name);
    std::optional<std::string> text = files_->read(path);
    if (text) read_[path] = *text;
    return text;
  }
  [[nodiscard]] std::string resolve(const std::string& from, const std::string& reference) override {
    return files_->resolve(from, reference);
  }
  [[nodiscard]] std::vector<std::string> beside(const std::string& name) override {
    return files_->beside(relative_to(cat(directory_, "/x"), name));
  }

 private:
  std::unique_ptr<FileSource> files_;
  std::string directory_;
  std::map<std::string, std::string>& read_;
};

/// The files of the disk; with roles, those that TripleO's tree around the template would be rendered to.
std::unique_ptr<FileSource> files_of(const UploadRequest& request, const FileReader& reader, Sources& sources) {
  if (request.roles.empty()) return std::make_unique<DiskFiles>(reader);
  const fs::path root = tree_root(reader, fs::absolute(request.template_file).lexically_normal());
  const fs::path networks = request.networks.empty() ? root / "network_data.yaml" : request.networks;
  RoleSet set = role_set(read_yaml_file(reader, request.roles.string(), sources),
                         read_yaml_file(reader, networks.string(), sources, request.networks.empty()));
  return std::make_unique<RenderedFiles>(reader, root, std::move(set), sources);
}

Value parameters_of(const std::vector<std::string>& given) {
  MapBuilder parameters;
  for (const std::string& each : given) {
    const std::size_t equals = each.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(ErrorKind::usage, cat("--parameter ", each, ": NAME=VALUE is expected"));
    }
    parameters.set(each.substr(0, equals), Value::string(each.substr(equals + 1)));
  }
  return Value::map(std::move(parameters));
}

/// References in the root template are relative to it, but the server knows no directory of the root: from there all
/// names are absolute.
void make_absolute(Json& node, const std::string& directory, const std::map<std::string, std::string>& files) {
  if (node.is_string()) {
    const std::string path = relative_to(cat(directory, "/x"), node.get<std::string>());
    if (files.count(path) > 0) node = path;
    return;
  }
  for (Json& child : node) {
    if (child.is_structured() || child.is_string()) make_absolute(child, directory, files);
  }
}

/// Only where a reference can stand: types and get_file.
void resolve_references(Json& node, const std::string& directory, const std::map<std::string, std::string>& files) {
  if (node.is_array()) {
    for (Json& child : node) resolve_references(child, directory, files);
  }
  if (!node.is_object()) return;
  for (auto& [key, child] : node.items()) {
    const bool is_one = child.is_string() && (key == "type" || key == "get_file");
    const bool is_list_of_types = child.is_array() && key == "resources";  // a ResourceChain's
    if (is_one || is_list_of_types) {
      make_absolute(child, directory, files);
    } else {
      resolve_references(child, directory, files);
    }
  }
}

/// What a template names: files of get_file, and templates as types.
void for_each_reference(const Value& node, const std::function<void(const std::string&)>& use) {
  if (node.is_list()) {
    for (const Value& item : node.items()) for_each_reference(item, use);
  }
  if (!node.is_map()) return;
  for (const Entry& entry : node.entries()) {
    const std::string key = entry.key.is_string() ? entry.key.text() : "";
    const bool names_file = entry.value.is_string() && (key == "get_file" || key == "type");
    if (names_file &&
        (key == "get_file" || entry.value.text().ends_with(".yaml") || entry.value.text().ends_with(".template")))
      use(entry.value.text());
    for_each_reference(entry.value, use);
  }
}

bool is_template(const Value& document) {
  if (!document.is_map()) return false;
  return document.find("heat_template_version") != nullptr || document.find("HeatTemplateFormatVersion") != nullptr ||
         document.find("AWSTemplateFormatVersion") != nullptr;
}

/// A template that get_file names is data to the stack; the files that it names come along, as with Heat's client.
void bring_along(StackModel& model, const std::map<std::string, std::string>& files) {
  std::vector<std::string> names;
  for (const auto& [name, text] : files) {
    if (model.tree->templates.count(name) == 0) names.push_back(name);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Result<Value> read = parse_yaml(files.at(names[i]), names[i], 0);
    if (!read || !is_template(*read)) continue;
    for_each_reference(*read, [&](const std::string& reference) {
      std::string path = model.files->resolve(names[i], reference);
      if (files.count(path) == 0 && model.files->read(path)) names.push_back(std::move(path));
    });
  }
}

}  // namespace

Json make_upload(const UploadRequest& request, const FileReader& reader) {
  std::map<std::string, std::string> files;
  StackModel model;
  StackRequest stack;
  stack.name = request.name;
  stack.template_name = fs::absolute(request.template_file).lexically_normal().string();
  if (!request.roles.empty()) stack.template_name = without_jinja(stack.template_name);
  const std::string directory = fs::path(stack.template_name).parent_path().string();
  stack.parameters = parameters_of(request.parameters);
  for (const fs::path& environment : request.environments) {
    stack.environments.push_back(fs::absolute(environment).lexically_normal().string());
  }
  Json body = Json::object();
  body["stack_name"] = request.name;
  const auto build = [&](StackModel& made, std::map<std::string, std::string>& read) {
    made.files = std::make_unique<RecordingFiles>(files_of(request, reader, made.sources), directory, read);
    build_model(made, stack);
  };
  try {
    build(model, files);
    const std::vector<Fault> faults = validate_stack(*model.root);
    if (!faults.empty()) throw faults.front();
    bring_along(model, files);
    body["template"] = to_json(model.root->source()->document());
  } catch (const Fault& fault) {
    std::map<std::string, std::string> others;
    throw with_all_mistakes(in_plain_words(fault).located(model.sources),
                            [&](StackModel& again) { build(again, others); });
  }
  files.erase(stack.template_name);
  resolve_references(body["template"], directory, files);
  body["files"] = Json::object();
  for (const auto& [name, text] : files) body["files"][name] = text;
  body["environment_files"] = stack.environments;
  body["environment"] = Json::object();
  body["parameters"] = to_json(stack.parameters);
  return body;
}

Json make_changes(const UploadRequest& request) {
  return {{"stack_name", request.name}, {"parameters", to_json(parameters_of(request.parameters))}};
}

}  // namespace hearth::metadata::live
