#include "builder/lint/source_check.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace hearth::builder {

namespace {

const std::vector<std::string> k_source_types = {"git", "tar", "file", "package"};
constexpr const char* k_form = "a source is NAME TYPE DESTINATION LOCATION [REF]";

/// A word of a line, as the shell takes it apart.
struct SourceWord {
  std::string text;
  int column = 0;
};

/// Up to a comment.
std::vector<SourceWord> words_of(const std::string& line) {
  static constexpr std::string_view blanks = " \t";
  std::vector<SourceWord> words;
  for (std::size_t at = line.find_first_not_of(blanks); at < line.size() && line[at] != '#';) {
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    words.push_back({line.substr(at, end - at), static_cast<int>(at) + 1});
    at = line.find_first_not_of(blanks, end);
  }
  return words;
}

/// What it comes to is known when the hook runs: it may be several words, or none.
bool is_expanded(const SourceWord& word) { return word.text.find_first_of("$`\"'\\*{") != std::string::npos; }

struct SourceFault {
  int column = 0;
  Severity severity = Severity::error;
  std::string what;
};

std::string variable_of(const std::string& source) {
  std::string name = cat("DIB_REPOLOCATION_", source);
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9'); }, '_');
  return name;
}

std::optional<SourceFault> fault_in(const std::vector<SourceWord>& words, const Environment& environment) {
  if (words.empty() || is_expanded(words[0])) return std::nullopt;
  if (words.size() < 2) return SourceFault{words[0].column, Severity::error, cat("there is no type: ", k_form)};
  const std::string& type = words[1].text;
  if (is_expanded(words[1])) return std::nullopt;
  if (std::find(k_source_types.begin(), k_source_types.end(), type) == k_source_types.end()) {
    const std::optional<std::string> near = nearest(type, k_source_types);
    return SourceFault{words[1].column, Severity::error,
                       cat("no source has the type '", type, "' (", join(k_source_types, ", "), ")",
                           near ? cat("; did you mean ", *near, "?") : "")};
  }
  if (type == "package") return std::nullopt;
  if (words.size() > 2 && is_expanded(words[2])) return std::nullopt;
  if (words.size() < 3 || words[2].text.front() != '/')
    return SourceFault{words[words.size() < 3 ? 1 : 2].column, Severity::error,
                       cat("there is no destination, a path in the image that begins with /: ", k_form)};
  if (words.size() > 5 && std::none_of(words.begin(), words.end(), is_expanded))
    return SourceFault{words[5].column, Severity::error, cat("there is a word too many: ", k_form)};
  const std::string given = variable_of(words[0].text);
  if (words.size() == 3 && environment.count(given) == 0)
    return SourceFault{
        words[2].column, Severity::warning,
        cat("it says not where to fetch ", words[0].text, " from, so that only ", given, " can: ", k_form)};
  return std::nullopt;
}

}  // namespace

std::vector<Finding> source_faults(const FileReader& files, const Element& element, const Environment& environment) {
  std::vector<Finding> found;
  for (const std::string& name : files.list(element.path)) {
    const fs::path file = element.path / name;
    if (!name.starts_with("source-repository-") || name.ends_with('~') || !is_regular_file(files, file)) continue;
    int number = 0;
    for (const std::string& line : split_lines(files.read(file).value_or(""))) {
      ++number;
      if (const auto fault = fault_in(words_of(line), environment))
        found.push_back({file, number, fault->severity, "source", fault->what, fault->column});
    }
  }
  return found;
}

}  // namespace hearth::builder
