#include "builder/spec/image_description.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

#include "base/cli/near_option.hpp"
#include "base/json.hpp"
#include "base/redaction.hpp"
#include "base/text.hpp"
#include "builder/spec/checked_values.hpp"
#include "builder/spec/description_list.hpp"
#include "builder/spec/image_matrix.hpp"
#include "builder/spec/image_request.hpp"
#include "builder/yaml/yaml_fault.hpp"

namespace hearth::builder {

namespace {

/// What the value of a key may be: `list` is one option for all, `each` an option for each.
/// `structure` says how entries belong together (description_list.hpp).
enum class Shape { text, flag, whole, positive, size, list, each, pairs, structure };

struct Key {
  const char* name;
  Shape shape;
  const char* option;   ///< nullptr: not an option of the command
  const char* choices;  ///< blank-separated; nullptr: anything
};

/// In the order in which upstream puts them on the command line.
constexpr std::array<Key, 36> k_keys = {{
    {"imagename", Shape::text, "-o", nullptr},
    {"arch", Shape::text, "-a", "aarch64 amd64 arm64 armhf powerpc ppc64 ppc64el ppc64le s390x x86_64"},
    {"types", Shape::list, "-t", nullptr},
    {"environment", Shape::pairs, nullptr, nullptr},
    {k_template_key, Shape::structure, nullptr, nullptr},
    {k_extends_key, Shape::structure, nullptr, nullptr},
    {k_matrix_key, Shape::structure, nullptr, nullptr},
    {"ramdisk", Shape::flag, nullptr, nullptr},
    {"debug-trace", Shape::whole, "-x", "0 1 2"},
    {"uncompressed", Shape::flag, "-u", nullptr},
    {"clear", Shape::flag, "-c", nullptr},
    {"logfile", Shape::text, "--logfile", nullptr},
    {"checksum", Shape::flag, "--checksum", nullptr},
    {"image-size", Shape::size, "--image-size", nullptr},
    {"image-extra-size", Shape::size, "--image-extra-size", nullptr},
    {"image-cache", Shape::text, "--image-cache", nullptr},
    {"max-online-resize", Shape::positive, "--max-online-resize", nullptr},
    {"min-tmpfs", Shape::positive, "--min-tmpfs", nullptr},
    {"mkfs-journal-size", Shape::positive, "--mkfs-journal-size", nullptr},
    {"mkfs-options", Shape::text, "--mkfs-options", nullptr},
    {"no-tmpfs", Shape::flag, "--no-tmpfs", nullptr},
    {"offline", Shape::flag, "--offline", nullptr},
    {"qemu-img-options", Shape::pairs, "--qemu-img-options", nullptr},
    {"root-label", Shape::text, "--root-label", nullptr},
    {"ramdisk-element", Shape::text, "--ramdisk-element", nullptr},
    {"install-type", Shape::text, "--install-type", "source package"},
    {"docker-target", Shape::text, "--docker-target", nullptr},
    {"container-config", Shape::each, "--container-config", nullptr},
    {"metadata", Shape::text, "--metadata", nullptr},
    {"packages", Shape::list, "-p", nullptr},
    {"skip-base", Shape::flag, "-n", nullptr},
    {"release", Shape::text, nullptr, nullptr},
    {"checks", Shape::text, nullptr, nullptr},
    {"publish", Shape::text, nullptr, nullptr},
    {"options", Shape::list, "", nullptr},
    {"elements", Shape::list, "", nullptr},
}};

constexpr const char* k_allowed_keys =
    "; allowed are imagename, elements, packages, types, environment, release, matrix, template, extends, checks, "
    "publish and each long option of hearth image create";

bool is_option_of_machine(std::string_view option) { return option.starts_with("remote-cache"); }

/// These, and every other option of the command by its long name, in front of the operands.
const std::vector<Key>& all_keys() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> all(k_keys.begin(), k_keys.end());
    static std::vector<std::string> written;  // "--name"; keys point into it
    written.reserve(image_options().size());
    for (const cli::Option& option : image_options()) {
      const bool known = std::any_of(k_keys.begin(), k_keys.end(),
                                     [&](const Key& key) { return option.name.empty() || option.name == key.name; });
      if (known || is_option_of_machine(option.name)) continue;
      const std::string& word = written.emplace_back(option.display());
      all.insert(all.end() - 2,
                 {word.c_str() + 2, option.value_name.empty() ? Shape::flag : Shape::text, word.c_str(), nullptr});
    }
    return all;
  }();
  return keys;
}

/// The values of one image; later entries of the same name are merged into it.
struct Values {
  std::string source;
  std::map<std::string, std::string> scalars;
  std::map<std::string, std::vector<std::string>> lists;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> pairs;
};

const Key& find_key(const YAML::Node& node) {
  const std::string name = node.IsScalar() ? node.Scalar() : "";
  if (is_option_of_machine(name))
    throw YamlFault{position_of(node.Mark()),
                    cat(name,
                        " is a matter of the machine, not of a file of images: it goes into /etc/hearth.conf or "
                        "~/.config/hearth/hearth.conf, the environment, or onto the command line")};
  std::vector<std::string> names;
  for (const Key& key : all_keys()) {
    if (name == key.name) return key;
    names.emplace_back(key.name);
  }
  const std::string meant = did_you_mean(name, names);
  throw YamlFault{position_of(node.Mark()), cat("unknown key '", name, "'", meant.empty() ? k_allowed_keys : meant)};
}

/// What the value of a key may be, or each of a list's; empty: anything.
struct Allowed {
  std::vector<std::string> values;
  bool are_joined = false;  ///< by commas
  const cli::Option* option = nullptr;
};

Allowed allowed_values(const Key& key) {
  if (key.choices != nullptr) return {.values = split_words(key.choices)};
  const std::string word = key.option == nullptr ? "" : key.option;
  for (const cli::Option& option : image_options()) {
    const bool is_its = !word.empty() && (word == option.display() || word == cat("-", option.letter));
    if (is_its && !option.values.empty())
      return {
          .values = option.values, .are_joined = option.value_name.find(',') != std::string::npos, .option = &option};
  }
  return {};
}

/// A disk's or a file system's: "4", "2.5", "4G", "500MiB".
bool is_size_text(const std::string& text) {
  return option_size(text).value_or(0) > 0 || option_size(cat(text, "G")).value_or(0) > 0;
}

/// The same for editors.
constexpr const char* k_size_pattern = "^\\s*(?=.*[1-9])([0-9]+\\.?[0-9]*|\\.[0-9]+) ?([KMGTkmgt]|[KMGT]i?B|B)?\\s*$";

bool is_variable_name(const std::string& name) {
  const auto is_part = [](unsigned char c) { return c == '_' || (c < 0x80 && std::isalnum(c) != 0); };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::all_of(name.begin(), name.end(), is_part);
}

/// Reads the values of one image, whose matrix (nullptr: none) has the values of "${…}".
class ValueReader {
 public:
  ValueReader(Values& values, const MatrixValues* matrix, YamlFaults& faults)
      : values_(values), matrix_(matrix), faults_(faults) {}

  void take(const Key& key, const YAML::Node& node) {
    if (key.shape == Shape::structure) return;
    if (key.shape == Shape::list || key.shape == Shape::each) {
      take_list(node, key, values_.lists[key.name]);
    } else if (key.shape == Shape::pairs) {
      take_pairs(node, key, values_.pairs[key.name]);
    } else {
      std::string value = key.shape == Shape::text   ? scalar(node, key)
                          : key.shape == Shape::flag ? flag(node, key)
                                                     : number(node, key);
      require_choice(node, key, value);
      values_.scalars[key.name] = std::move(value);
    }
  }

 private:
  [[nodiscard]] std::string scalar(const YAML::Node& node, const Key& key) const {
    if (!node.IsScalar()) throw YamlFault{position_of(node.Mark()), cat("'", key.name, "' must be one value")};
    return matrix_ == nullptr ? node.Scalar() : substitute(node.Scalar(), *matrix_, position_of(node.Mark()));
  }

  [[nodiscard]] std::string flag(const YAML::Node& node, const Key& key) const {
    std::string text = to_lower(scalar(node, key));
    if (text == "true" || text == "yes" || text == "on") return "1";
    if (text == "false" || text == "no" || text == "off") return "";
    throw YamlFault{position_of(node.Mark()), cat("'", key.name, "' must be true or false, not '", text, "'")};
  }

  [[nodiscard]] std::string number(const YAML::Node& node, const Key& key) const {
    std::string text = scalar(node, key);
    const std::optional<std::uint64_t> value = parse_number(text);
    if (key.shape == Shape::size) {
      if (is_size_text(text)) return text;
      throw YamlFault{position_of(node.Mark()),
                      cat("'", key.name, "' must be a size, as 4, 4G or 500MiB, not '", text, "'")};
    }
    if (!value || (key.shape != Shape::whole && *value == 0)) {
      const char* const least = key.shape == Shape::whole ? "0" : "1";
      throw YamlFault{position_of(node.Mark()),
                      cat("'", key.name, "' must be a whole number from ", least, ", not '", text, "'")};
    }
    return text;
  }

  static void require_choice(const YAML::Node& node, const Key& key, const std::string& value) {
    const Allowed allowed = allowed_values(key);
    if (allowed.values.empty() || value.empty()) return;
    for (const std::string& part : allowed.are_joined ? split(value, ',') : std::vector<std::string>{value}) {
      const std::string name(trim(part));
      if (name.empty() || std::find(allowed.values.begin(), allowed.values.end(), name) != allowed.values.end())
        continue;
      const bool is_word = name.size() > 1;  // of one letter each is near another
      const std::optional<std::string> near = !is_word                    ? std::nullopt
                                              : allowed.option == nullptr ? nearest(name, allowed.values)
                                                                          : cli::near_value(*allowed.option, name);
      throw YamlFault{position_of(node.Mark()),
                      cat("'", key.name, "' is one of ", join(allowed.values, ", "), ", not '", name, "'",
                          near ? cat(", did you mean ", *near, "?") : "")};
    }
  }

  void take_list(const YAML::Node& node, const Key& key, std::vector<std::string>& list) const {
    if (!node.IsSequence())
      throw YamlFault{position_of(node.Mark()),
                      cat("'", key.name, "' must be a list: ", key.name, ": ", as_list(key, node))};
    for (const YAML::Node& item : node) {
      faults_.gather([&] {
        std::string value = scalar(item, key);
        require_choice(item, key, value);
        list.push_back(std::move(value));
      });
    }
  }

  /// What was given as the list that it was meant to be; a map of options is as many words.
  static std::string as_list(const Key& key, const YAML::Node& node) {
    std::vector<std::string> words;
    const bool is_options = std::string_view(key.name) == "options";
    const std::string text = node.IsScalar() ? node.Scalar() : "";
    const bool has_blanks = key.shape == Shape::each;  // members of the others are names
    words = is_options ? split_words(text) : has_blanks ? split(text, ',') : split_words(replace_all(text, ",", " "));
    for (const auto& pair : node.IsMap() && is_options ? node : YAML::Node()) {
      if (!pair.first.IsScalar() || !pair.second.IsScalar()) continue;
      const std::string name = pair.first.Scalar();
      words.insert(words.end(), {name.starts_with("-") ? name : cat("--", name), pair.second.Scalar()});
    }
    if (words.empty()) words = {is_options ? "--builder" : "A", is_options ? "ID" : "B"};
    return cat("[", join(words, ", "), "]");
  }

  void take_pairs(const YAML::Node& node, const Key& key,
                  std::vector<std::pair<std::string, std::string>>& pairs) const {
    if (!node.IsMap())
      throw YamlFault{position_of(node.Mark()), cat("'", key.name, "' must be a map of names to texts")};
    for (const auto& item : node) faults_.gather([&] { take_pair(item.first, item.second, key, pairs); });
  }

  void take_pair(const YAML::Node& first, const YAML::Node& second, const Key& key,
                 std::vector<std::pair<std::string, std::string>>& pairs) const {
    const std::string name = scalar(first, key);
    const std::string value = scalar(second, key);
    if (key.option == nullptr && !is_variable_name(name))
      throw YamlFault{position_of(first.Mark()), cat("'", name, "' is no name of a variable")};
    const auto known = std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.first == name; });
    if (known != pairs.end()) {
      known->second = value;
    } else {
      pairs.emplace_back(name, value);
    }
  }

  Values& values_;
  const MatrixValues* matrix_;
  YamlFaults& faults_;
};

/// All images so far, in the order of first mention.
class DescriptionReader {
 public:
  DescriptionReader(const DescriptionList& list, YamlFaults& faults) : list_(list), faults_(faults) {}
  void read();
  [[nodiscard]] std::vector<ImageDescription> descriptions() const;

 private:
  void read_image(const DescriptionEntry& entry);
  void read_matrix(const DescriptionEntry& entry, const std::vector<const DescriptionEntry*>& parts,
                   const YAML::Node& matrix);
  void begin(const std::string& name, const DescriptionEntry& entry) {
    order_.push_back(name);
    images_[name].source = entry.place();
    images_[name].scalars["imagename"] = name;
  }
  /// The values of all parts, those of what is extended first.
  void take_parts(const std::string& name, const DescriptionEntry& entry,
                  const std::vector<const DescriptionEntry*>& parts, const MatrixValues* matrix) {
    for (const DescriptionEntry* part : parts) {
      list_.now_reading(*part);
      for (const auto& pair : part->node) {
        faults_.gather([&] {
          const Key& key = find_key(pair.first);
          const bool is_others_name = key.name == std::string_view("imagename") && part != &entry;
          if (!is_others_name) ValueReader(images_[name], matrix, faults_).take(key, pair.second);
        });
      }
    }
  }
  void check_keys(const DescriptionEntry& entry) {
    std::set<std::string> seen;
    for (const auto& pair : entry.node) {
      faults_.gather([&] {
        const Key& key = find_key(pair.first);
        if (!seen.insert(key.name).second)
          throw YamlFault{position_of(pair.first.Mark()), cat("'", key.name, "' stands there twice")};
      });
    }
  }

  const DescriptionList& list_;
  YamlFaults& faults_;
  std::vector<std::string> order_;
  std::map<std::string, Values> images_;
};

void DescriptionReader::read() {
  for (const DescriptionEntry& entry : list_.entries()) {
    list_.now_reading(entry);
    check_keys(entry);
    list_.check_extended(entry);
  }
  for (const DescriptionEntry& entry : list_.entries()) {
    if (!entry.is_template) faults_.gather([&] { read_image(entry); });
  }
}

void DescriptionReader::read_image(const DescriptionEntry& entry) {
  std::vector<const DescriptionEntry*> parts = {&entry};
  const bool is_whole = faults_.gather([&] { parts = list_.parts_of(entry); });
  const YAML::Node matrix = list_.matrix_of(parts);
  if (matrix.IsDefined() && !matrix.IsNull()) {
    if (is_whole) return read_matrix(entry, parts, matrix);
    return void(matrix_combinations(matrix, faults_));  // its values may name variables of what is not known
  }
  list_.now_reading(entry);
  const bool has_variable = entry.name.find("${") != std::string::npos;
  if (has_variable && !is_whole) return;
  if (has_variable)
    throw YamlFault{entry.at, cat("the name '", entry.name, "' has a variable, but the image no 'matrix' of values")};
  if (images_.count(entry.name) == 0) begin(entry.name, entry);
  take_parts(entry.name, entry, parts, nullptr);
}

void DescriptionReader::read_matrix(const DescriptionEntry& entry, const std::vector<const DescriptionEntry*>& parts,
                                    const YAML::Node& matrix) {
  for (const MatrixValues& values : matrix_combinations(matrix, faults_)) {
    list_.now_reading(entry);
    const YAML::Node pattern = entry.node["imagename"];
    if (!pattern.IsDefined())
      throw YamlFault{entry.at, "a matrix needs an 'imagename' with its variables, as node-${role}"};
    const Position at = position_of(pattern.Mark());
    const std::string name = substitute(entry.name, values, at);
    if (const auto known = images_.find(name); known != images_.end()) {
      std::vector<std::string> missing;
      for (const auto& [variable, value] : values) {
        if (entry.name.find(cat("${", variable, "}")) == std::string::npos) missing.push_back(cat("${", variable, "}"));
      }
      throw YamlFault{
          at, known->second.source == entry.place() && !missing.empty()
                  ? cat("two images of the matrix have the name '", name, "'; put ", join(missing, ", "), " into it")
                  : cat("the image '", name, "' is described twice, first at ", known->second.source)};
    }
    begin(name, entry);
    take_parts(name, entry, parts, &values);
  }
}

/// The words of one key on the command line.
void add_words(std::vector<std::string>& words, const Key& key, const Values& values) {
  if (key.option == nullptr) return;
  if (const auto list = values.lists.find(key.name); list != values.lists.end() && !list->second.empty()) {
    if (*key.option == 0) {
      words.insert(words.end(), list->second.begin(), list->second.end());
    } else if (key.shape == Shape::each) {
      for (const std::string& item : list->second) words.insert(words.end(), {key.option, item});
    } else {
      words.insert(words.end(), {key.option, join(list->second, ",")});
    }
  }
  if (const auto pairs = values.pairs.find(key.name); pairs != values.pairs.end()) {
    std::vector<std::string> texts;
    for (const auto& [name, value] : pairs->second) texts.push_back(cat(name, "=", value));
    if (!texts.empty()) words.insert(words.end(), {key.option, join(texts, ",")});
  }
  const auto found = values.scalars.find(key.name);
  if (found == values.scalars.end() || found->second.empty()) return;
  if (key.shape == Shape::flag) {
    words.emplace_back(key.option);
  } else if (key.shape == Shape::whole) {
    words.insert(words.end(), parse_number(found->second).value_or(0), key.option);
  } else {
    words.insert(words.end(), {key.option, found->second});
  }
}

std::vector<ImageDescription> DescriptionReader::descriptions() const {
  std::vector<ImageDescription> all;
  for (const std::string& name : order_) {
    const Values& values = images_.at(name);
    ImageDescription image{.name = name, .environment = {}, .ramdisk = false, .words = {}, .source = values.source};
    if (const auto release = values.scalars.find("release"); release != values.scalars.end()) {
      image.environment["DIB_RELEASE"] = release->second;
    }
    if (const auto pairs = values.pairs.find("environment"); pairs != values.pairs.end()) {
      for (const auto& [variable, value] : pairs->second) image.environment[variable] = value;
    }
    const auto text = [&](const char* key) {
      const auto found = values.scalars.find(key);
      return found == values.scalars.end() ? std::string() : found->second;
    };
    image.checks = text("checks");
    image.publish = text("publish");
    const auto ramdisk = values.scalars.find("ramdisk");
    image.ramdisk = ramdisk != values.scalars.end() && !ramdisk->second.empty();
    for (const Key& key : all_keys()) add_words(image.words, key, values);
    all.push_back(std::move(image));
  }
  return all;
}

/// What the command's help says of a key.
std::string meaning_of(const Key& key) {
  if (key.name == std::string_view("checks")) return "hearth image pipeline: a file that the image is tested by";
  if (key.name == std::string_view("publish")) return "hearth image pipeline: the file to publish the image as";
  if (key.option == nullptr || *key.option == 0) return "";
  const std::string word = key.option;
  for (const cli::Option& option : image_options()) {
    if (word == option.display() || word == cat("-", option.letter)) return option.help;
  }
  return "";
}

/// Of k_template_key, k_extends_key and k_matrix_key.
Json schema_of_structure(const std::string& key, const Json& text) {
  if (key == k_template_key) return text;
  if (key == k_extends_key) return {{"anyOf", {text, {{"type", "array"}, {"items", text}}}}};
  const Json values = {{"type", "array"}, {"minItems", 1}, {"items", text}};
  const Json excluded = {{"type", "array"}, {"items", {{"type", "object"}, {"additionalProperties", text}}}};
  return {{"type", "object"}, {"properties", {{"exclude", excluded}}}, {"additionalProperties", values}};
}

/// What ValueReader accepts of a key; of one value also a variable of the image's matrix.
Json schema_of(const Key& key) {
  const Json text = {{"type", {"string", "number", "boolean"}}};
  bool is_one_value = true;
  Json schema = text;
  switch (key.shape) {
    case Shape::text: is_one_value = false; break;
    case Shape::flag:
      schema = {{"anyOf", {{{"type", "boolean"}}, {{"type", "string"}, {"pattern", k_flag_pattern}}}}};
      break;
    case Shape::whole: schema = {{"type", "integer"}, {"minimum", 0}}; break;
    case Shape::positive: schema = {{"type", "integer"}, {"minimum", 1}}; break;
    case Shape::size:
      schema = {{"type", {"number", "string"}}, {"exclusiveMinimum", 0}, {"pattern", k_size_pattern}};
      break;
    case Shape::list:
    case Shape::each: schema = {{"type", "array"}, {"items", text}}, is_one_value = false; break;
    case Shape::pairs: schema = {{"type", "object"}, {"additionalProperties", text}}, is_one_value = false; break;
    case Shape::structure: schema = schema_of_structure(key.name, text), is_one_value = false; break;
  }
  if (const Allowed allowed = allowed_values(key); !allowed.values.empty()) {
    const std::string any = cat("(", replace_all(join(allowed.values, "|"), ".", "\\."), ")");
    const std::string joined = allowed.are_joined ? cat("|^ *", any, "( *, *", any, ")* *$") : "";
    const Json one = {
        {"anyOf", {{{"enum", allowed.values}}, {{"type", "string"}, {"pattern", cat("\\$\\{|^$", joined)}}}}};
    if (key.shape == Shape::text) schema = one;
    if (key.shape == Shape::list) schema["items"] = one;
  }
  if (key.choices != nullptr && key.shape == Shape::whole) schema["maximum"] = split_words(key.choices).size() - 1;
  if (is_one_value) schema = {{"anyOf", {schema, {{"type", "string"}, {"pattern", "\\$\\{"}}}}};
  if (const std::string meaning = meaning_of(key); !meaning.empty()) schema["description"] = meaning;
  return schema;
}

}  // namespace

std::string image_description_schema() {
  Json keys = Json::object();
  for (const Key& key : all_keys()) keys[key.name] = schema_of(key);
  const Json image = {{"type", "object"}, {"properties", std::move(keys)}, {"additionalProperties", false}};
  return json_document({{"$schema", "http://json-schema.org/draft-07/schema#"},
                        {"title", "Images, as hearth image create reads them"},
                        {"type", "array"},
                        {"minItems", 1},
                        {"items", image}});
}

namespace {

/// A secret by its name is left out, but for the file that holds it and for what is too short for one ("1").
std::string shown_value(const std::string& variable, const std::string& value) {
  constexpr std::size_t k_shortest_secret = 4;
  const bool is_path = value.starts_with('/') || value.starts_with("./") || value.starts_with("~/");
  if (names_secret(variable) && !is_path && value.size() >= k_shortest_secret) return std::string(k_redacted);
  return shell_quote(without_credentials(value));
}

}  // namespace

std::string ImageDescription::shown_command_line() const {
  std::vector<std::string> parts;
  for (const auto& [variable, value] : environment) parts.push_back(cat(variable, "=", shown_value(variable, value)));
  parts.emplace_back(ramdisk ? "ramdisk-image-create" : "disk-image-create");
  parts.push_back(without_credentials(shell_join(words)));
  return join(parts, " ");
}

namespace {

/// As a person reads the files.
std::vector<ParseError> in_order(std::vector<ParseError> faults, const std::vector<DescriptionText>& files) {
  const auto key = [&](const ParseError& fault) {
    const auto file = std::find_if(files.begin(), files.end(),
                                   [&](const DescriptionText& each) { return each.source == fault.source; });
    return std::tuple(file - files.begin(), fault.at.line, fault.at.column);
  };
  std::stable_sort(faults.begin(), faults.end(),
                   [&](const ParseError& one, const ParseError& other) { return key(one) < key(other); });
  return faults;
}

}  // namespace

Result<std::vector<ImageDescription>, ParseFaults> parse_image_descriptions(const std::vector<DescriptionText>& files) {
  YamlFaults faults;
  DescriptionList list(faults);
  bool are_lists = true;
  for (const DescriptionText& file : files) {
    faults.now_reading(file.source);
    are_lists = faults.gather([&] { list.add(file.source, file.text); }) && are_lists;
  }
  DescriptionReader reader(list, faults);
  if (are_lists) reader.read();  // else images may extend what could not be read
  if (!faults.all().empty()) return ParseFaults{in_order(faults.all(), files)};
  return reader.descriptions();
}

}  // namespace hearth::builder
