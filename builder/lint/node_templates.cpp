#include "builder/lint/node_templates.hpp"

#include <algorithm>
#include <iterator>

#include "base/mustache.hpp"
#include "base/text.hpp"
#include "base/yaml_scalar.hpp"
#include "builder/yaml/yaml_fault.hpp"

namespace hearth::builder {

namespace {

constexpr std::string_view k_header_ending = ".oac";
constexpr const char* k_templates = "os-apply-config";  ///< the folder of an element

/// os-apply-config's: what it refuses of them ends the run (agent/apply/control.cpp).
const std::vector<std::string> k_header_keys = {"allow_empty", "group", "mode", "owner"};

/// Lines of tags whose name nobody gives a value: with a line break or a brace in it, a brace is missing before.
void collect_odd_tags(const MustacheNodes& nodes, std::vector<std::size_t>& lines) {
  for (const MustacheNode& node : nodes) {
    if (const auto* const section = std::get_if<MustacheSection>(&node.value)) collect_odd_tags(section->inside, lines);
    const auto* const tag = std::get_if<MustacheVariable>(&node.value);
    if (tag != nullptr && tag->name.find_first_of("\n{}") != std::string::npos) lines.push_back(tag->line);
  }
}

/// Of the last tag, where nothing ends it: it is text then. Templates with delimiters of their own are let be.
std::optional<std::size_t> line_of_open_tag(std::string_view text) {
  const std::size_t last = text.rfind("{{");
  if (last == std::string_view::npos || text.find("}}", last) != std::string_view::npos) return std::nullopt;
  if (text.find("{{=") != std::string_view::npos) return std::nullopt;
  return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(last), '\n'));
}

std::vector<Finding> template_faults(const fs::path& file, const std::string& text) {
  const auto finding = [&file](Position at, Severity severity, std::string what) {
    return Finding{file, at.line, severity, "template", std::move(what), at.column};
  };
  const Result<MustacheTemplate> parsed = parse_mustache(text, file.string());
  if (!parsed) {
    return {finding(parsed.error().at, Severity::error,
                    cat(parsed.error().what, ": os-apply-config would write none of a node's files"))};
  }
  std::vector<Finding> found;
  for (const UnclosedSection& section : parsed->unclosed) {
    found.push_back(finding(section.at, Severity::warning,
                            cat("section ", section.name, " is never closed: a node loses the text before it")));
  }
  std::vector<std::size_t> odd;
  collect_odd_tags(parsed->nodes, odd);
  if (const std::optional<std::size_t> open = line_of_open_tag(text)) odd.push_back(*open);
  for (const std::size_t line : odd) {
    found.push_back(finding({static_cast<int>(line), 0}, Severity::warning,
                            "the tag that begins here is not ended by }} on its line: a node loses what is in it"));
  }
  return found;
}

/// A quoted one is a text; nothing for what is no scalar, or not what its tag says.
std::optional<YamlScalar> scalar_of(const YAML::Node& value) {
  constexpr std::string_view k_of_yaml = "tag:yaml.org,2002:";
  if (!value.IsScalar()) return value.IsNull() ? std::optional<YamlScalar>(YamlScalar()) : std::nullopt;
  if (value.Tag() == "?") return resolve_yaml_scalar(value.Scalar());
  if (!value.Tag().starts_with(k_of_yaml)) return YamlScalar(value.Scalar());
  return resolve_yaml_scalar(value.Scalar(), value.Tag().substr(k_of_yaml.size()));
}

template <class Type>
bool is_of(const std::optional<YamlScalar>& scalar) {
  return scalar && std::holds_alternative<Type>(*scalar);
}

void check_mode(const YAML::Node& mode, const std::optional<YamlScalar>& read) {
  const std::optional<std::uint64_t> value =
      is_of<YamlInteger>(read) ? parse_number(std::get<YamlInteger>(*read).digits) : std::nullopt;
  if (value && *value <= 0777) return;
  throw YamlFault{position_of(mode.Mark()), "mode is to be a number from 0 to 0777, in octal and not quoted: 0644"};
}

void check_member(const YAML::Node& name, const YAML::Node& value) {
  const std::string key = yaml_text(name, "key");
  const std::optional<YamlScalar> read = scalar_of(value);
  if (std::find(k_header_keys.begin(), k_header_keys.end(), key) == k_header_keys.end())
    throw YamlFault{position_of(name.Mark()), cat("unknown key '", key, "'", did_you_mean(key, k_header_keys),
                                                  "; allowed are ", join(k_header_keys, ", "))};
  if (key == "mode") return check_mode(value, read);
  if (key == "allow_empty" && !is_of<bool>(read))
    throw YamlFault{position_of(value.Mark()), "allow_empty is to be true or false, and not quoted"};
  if (key != "allow_empty" && !is_of<std::string>(read) && !is_of<YamlInteger>(read))
    throw YamlFault{position_of(value.Mark()), cat(key, " is to be a name or a number")};
}

/// What Python takes for false says nothing, as the agent has it (agent/apply/control.cpp).
bool says_nothing(const YAML::Node& header) {
  if (header.IsSequence()) return header.size() == 0;
  const std::optional<YamlScalar> read = scalar_of(header);
  if (!read) return false;
  if (const auto* const text = std::get_if<std::string>(&*read)) return text->empty();
  if (const auto* const number = std::get_if<YamlInteger>(&*read)) return parse_number(number->digits) == 0U;
  if (const auto* const number = std::get_if<double>(&*read)) return *number == 0;
  return std::holds_alternative<std::monostate>(*read) || !std::get<bool>(*read);
}

bool check_header(const YAML::Node& header, YamlFaults& faults) {
  if (!header.IsMap() && says_nothing(header)) return true;
  if (!header.IsMap()) throw YamlFault{position_of(header.Mark()), cat("must map ", join(k_header_keys, ", "))};
  for (const auto& pair : header) faults.gather([&pair] { check_member(pair.first, pair.second); });
  return true;
}

/// Why the header is nobody's; empty where one of the elements has its template: on a node they lie in one tree.
std::string why_idle(const FileReader& files, const fs::path& file, const fs::path& top,
                     const std::vector<Element>& all) {
  const std::string name = file.filename().string();
  const std::string of = name.substr(0, name.size() - k_header_ending.size());
  if (of.empty()) return "a header is called as its template with .oac behind: this one is of none";
  const fs::path place = file.parent_path().lexically_relative(top) / of;
  const bool is_there = is_regular_file(files, file.parent_path() / of) ||
                        std::any_of(all.begin(), all.end(), [&](const Element& element) {
                          return is_regular_file(files, element.path / k_templates / place);
                        });
  return is_there ? "" : cat("there is no ", of, " beside it");
}

std::vector<Finding> header_faults(const fs::path& file, const std::string& text, const std::string& why_it_is_idle) {
  std::vector<Finding> found;
  if (!why_it_is_idle.empty()) found.push_back({file, 0, Severity::warning, "template", why_it_is_idle});
  const auto read = read_all_yaml<bool>(text, file.string(), check_header);
  if (read) return found;
  for (const ParseError& fault : read.error().all)
    found.push_back({file, fault.at.line, Severity::error, "template", fault.what, fault.at.column});
  return found;
}

void add_faults(const FileReader& files, const fs::path& directory, const fs::path& top,
                const std::vector<Element>& elements, std::vector<Finding>& all) {
  for (const std::string& name : files.list(directory)) {
    const fs::path file = directory / name;
    const std::optional<FileStatus> status = files.status(file);
    const bool is_link = fs::is_symlink(fs::symlink_status(file));  // os-apply-config enters no linked directory
    if (!is_link && status && status->type == FileStatus::Type::directory) add_faults(files, file, top, elements, all);
    if (!status || status->type != FileStatus::Type::regular) continue;
    const bool is_header = name.ends_with(k_header_ending);
    const bool is_program = !is_header && (status->mode & 0111U) != 0;
    if (is_program) continue;
    const std::string text = files.read(file).value_or("");
    std::vector<Finding> found =
        is_header ? header_faults(file, text, why_idle(files, file, top, elements)) : template_faults(file, text);
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
}

}  // namespace

std::vector<Finding> node_template_faults(const FileReader& files, const Element& element,
                                          const std::vector<Element>& others) {
  std::vector<Finding> all;
  const fs::path top = element.path / k_templates;
  if (is_directory(files, top)) add_faults(files, top, top, others, all);
  return all;
}

}  // namespace hearth::builder
