#include "bootstrap/program/reference_pages.hpp"

#include <algorithm>
#include <set>

#include "base/cli/markdown.hpp"
#include "base/text.hpp"
#include "bootstrap/cli/driver_text.hpp"
#include "bootstrap/program/schemas.hpp"
#include "builder/commands.hpp"

namespace hearth::bootstrap::program {

namespace {

std::string text_of(const Json& row, const char* key) {
  const Json& value = member_or_null(row, key);
  return value.is_string() ? value.get<std::string>() : "";
}

std::string driver_keys(const Json& keys) {
  if (keys.empty()) return "";
  std::string text = "| key | in an inventory | default | what |\n|---|---|---|---|\n";
  for (const Json& key : keys) {
    const auto values = key.at("values").get<std::vector<std::string>>();
    const bool required = key.at("required").get<bool>();
    text +=
        cat("| `", text_of(key, "name"), "` | ", cli::markdown(text_of(key, "inventory")), " | ",
            required ? "required" : cli::markdown(text_of(key, "default")), " | ",
            cli::markdown(cat(text_of(key, "help"), values.empty() ? "" : cat(" (", join(values, ", "), ")"))), " |\n");
  }
  return cat(text, "\n");
}

std::string drivers_text() {
  const Json tables = bootstrap::drivers_json("");
  std::string text = "As `hearth node drivers` prints them.\n\n";
  for (const Json& sheet : tables.at("drivers")) {
    const auto types = sheet.at("pm_types").get<std::vector<std::string>>();
    text += cat("## ", text_of(sheet, "driver"), "\n\n", cli::markdown(text_of(sheet, "summary")),
                ".\n\npm\\_type: ", cli::markdown(join(types, ", ")), "\n\n", driver_keys(sheet.at("driver_info")));
  }
  return cat(text, "## Whatever the driver\n\n", driver_keys(tables.at("common")));
}

std::string keys_text() {
  std::string text = "Of the files that people write, made of what `hearth schema` prints for editors.\n\n";
  for (const Schema& schema : schemas()) {
    text +=
        cat("## ", schema.name, "\n\n", cli::markdown(schema.files), ".\n\n| key | value | what |\n|---|---|---|\n");
    for (const SchemaKey& key : keys_of_schema(parse_json(schema.text(), schema.name).value_or_throw()))
      text += cat("| `", replace_all(key.path, "|", "\\|"), "` | ", cli::markdown(key.kind), " | ",
                  cli::markdown(key.what), " |\n");
    text += "\n";
  }
  return text;
}

std::string variables_text(const fs::path& executable) {
  std::string text =
      "What stands in the files of elements, as `hearth element info` prints it; what each means is in the element's "
      "README (`hearth help ELEMENT`). The builder's own: `hearth help environment`.\n\n| variable | elements |\n"
      "|---|---|\n";
  for (const auto& [variable, elements] : builder::variables_of_elements(executable))
    text += cat("| `", variable, "` | ", cli::markdown(join(elements, ", ")), " |\n");
  return text;
}

void add_kinds(const Json& schema, std::set<std::string>& kinds) {
  const Json& type = member_or_null(schema, "type");
  if (type.is_string()) kinds.insert(type.get<std::string>());
  for (const Json& one : type.is_array() ? type : Json::array()) kinds.insert(one.get<std::string>());
  if (schema.contains("enum")) {
    std::vector<std::string> values;
    for (const Json& value : schema.at("enum"))
      values.push_back(value.is_string() ? value.get<std::string>() : format_json(value));
    kinds = {join(values, ", ")};
  }
  for (const char* part : {"anyOf", "oneOf"}) {
    for (const Json& one : list_member(schema, part)) {
      std::set<std::string> its;
      add_kinds(one, its);
      kinds.insert(its.begin(), its.end());
    }
  }
}

/// What is told once, and meant elsewhere by a reference, too, is not told again.
class KeyReader {
 public:
  explicit KeyReader(const Json& root) : root_(root) {}

  void read(const Json& given, const std::string& path) {
    if (!given.is_object()) return;
    const Json* schema = &given;
    if (const std::string target = text_of(given, "$ref"); !target.empty()) {
      if (!seen_.insert(target).second) return;
      schema = &root_.at(Json::json_pointer(target.substr(1)));
    }
    for (const char* group : {"properties", "patternProperties"}) {
      for (const auto& [name, key] : member_or_null(*schema, group).items()) {
        const std::string at = cat(path, group == std::string_view("properties") ? name : cat("/", name, "/"));
        add(at, key);
        read(key, at + ".");
      }
    }
    read(member_or_null(*schema, "additionalProperties"), path + "NAME.");
    read(member_or_null(*schema, "items"), cat(path.substr(0, path.empty() ? 0 : path.size() - 1), "[]."));
    for (const char* parts : {"anyOf", "oneOf", "allOf"}) {
      for (const Json& part : list_member(*schema, parts)) read(part, path);
    }
    for (const char* part : {"if", "then", "else"}) read(member_or_null(*schema, part), path);
  }
  [[nodiscard]] std::vector<SchemaKey> take() { return std::move(keys_); }

 private:
  void add(const std::string& path, const Json& key) {
    std::set<std::string> kinds;
    add_kinds(key, kinds);
    const std::string kind = join(std::vector<std::string>(kinds.begin(), kinds.end()), " or ");
    auto found = std::find_if(keys_.begin(), keys_.end(), [&](const SchemaKey& each) { return each.path == path; });
    if (found == keys_.end()) found = keys_.insert(keys_.end(), {path, "", ""});
    if (const std::string what = text_of(key, "description"); !what.empty()) found->what = what;
    if (!kind.empty()) found->kind = kind;
  }

  const Json& root_;
  std::set<std::string> seen_;
  std::vector<SchemaKey> keys_;
};

}  // namespace

std::vector<SchemaKey> keys_of_schema(const Json& schema) {
  KeyReader reader(schema);
  reader.read(schema, "");
  return reader.take();
}

std::vector<cli::Reference> reference_pages(const fs::path& executable) {
  return {{"drivers", "Drivers and what they read", drivers_text},
          {"keys", "Keys of files", keys_text},
          {"variables", "Variables of elements", [executable] { return variables_text(executable); }}};
}

}  // namespace hearth::bootstrap::program
