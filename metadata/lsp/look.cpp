#include "metadata/lsp/look.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "metadata/compile/files.hpp"
#include "metadata/compile/mending.hpp"
#include "metadata/model/yaml_reader.hpp"

namespace hearth::metadata::lsp {

namespace {

constexpr std::array<std::string_view, 3> k_versions{"heat_template_version", "HeatTemplateFormatVersion",
                                                     "AWSTemplateFormatVersion"};

/// The template with a default that is not known for each parameter that has none.
Value with_unknown_defaults(const Value& document) {
  const bool cfn = document.find("heat_template_version") == nullptr;
  const Value* parameters = document.find(cfn ? "Parameters" : "parameters");
  if (parameters == nullptr || !parameters->is_map()) return document;
  const std::string word = cfn ? "Default" : "default";
  MapBuilder all(parameters->entries());
  for (const Entry& parameter : parameters->entries()) {
    if (!parameter.value.is_map() || parameter.value.find(word) != nullptr) continue;
    MapBuilder members(parameter.value.entries());
    members.set(word, Value::waiting({{"the environment", python_str(parameter.key)}}));
    all.set(parameter.key, Value::map(std::move(members)).with_mark(parameter.value.mark()));
  }
  MapBuilder made(document.entries());
  made.set(cfn ? "Parameters" : "parameters", Value::map(std::move(all)).with_mark(parameters->mark()));
  return Value::map(std::move(made)).with_mark(document.mark());
}

Mistakes mistakes_of(const OpenFiles& files, const Look& look) {
  return all_mistakes([&](StackModel& model) {
    if (look.breathe) look.breathe();
    model.files = std::make_unique<DiskFiles>(files);
    model.breathe = look.breathe;
    model.mend = [inner = model.mend, &look](const std::string& file, Value document) {
      document = inner(file, std::move(document));
      return file == look.name && document.is_map() ? with_unknown_defaults(document) : document;
    };
    StackRequest request;
    request.template_name = look.name;
    request.environments = look.environments;
    request.settings.seed = "editor";  // nothing that is made of it is kept
    request.settings.brings_hook = look.brings_hook;
    request.settings.most_resources = 20'000;
    request.settings.most_made = 256U << 20U;
    request.settings.largest_template = k_largest_document;
    build_model(model, request);
  });
}

/// The word that begins here: a quoted text, or up to what ends a plain one.
std::size_t end_of_word(std::string_view text, std::size_t begin) {
  if (begin >= text.size()) return text.size();
  const char first = text[begin];
  const bool quoted = first == '"' || first == '\'';
  std::size_t end = begin;
  while (end < text.size() && text[end] != '\n' && text[end] != '\r') {
    if (quoted && end > begin && text[end] == first) return end + 1;
    const bool colon = text[end] == ':' && (end + 1 == text.size() ||
                                            std::string_view(" \r\n").find(text[end + 1]) != std::string_view::npos);
    if (!quoted && (colon || std::string_view(" \t,]}").find(text[end]) != std::string_view::npos)) break;
    ++end;
  }
  return std::max(end, std::min(begin + 1, text.size()));
}

/// Where a document names another file; its beginning where it does not.
Stretch place_of_name(const TextDocument& document, const std::string& file) {
  const std::string name = fs::path(file).filename().string();
  const std::size_t at = name.empty() ? std::string::npos : document.text().find(name);
  return at == std::string::npos ? Stretch{} : document.stretch_of(at, at + name.size());
}

/// Of a mistake in a function's argument the mark is the function's: {get_resource: Web2}. Where the word that it
/// quotes stands, when it stands right behind the mark.
std::optional<std::size_t> quoted_word_behind(std::string_view text, std::size_t begin, std::string_view told) {
  constexpr std::size_t k_near = 300;
  constexpr std::string_view k_around = " \t\r\n{}[],:\"'";
  const std::size_t open = told.find('"');
  const std::size_t close = open == std::string_view::npos ? open : told.find('"', open + 1);
  const bool is_function = begin < text.size() && (text[begin] == '{' || text.substr(begin).starts_with("get_"));
  if (close == std::string_view::npos || close == open + 1 || !is_function) return std::nullopt;
  const std::string_view word = told.substr(open + 1, close - open - 1);
  const std::string_view part = text.substr(begin, k_near);
  for (std::size_t at = part.find(word); at != std::string_view::npos; at = part.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at > 0 && k_around.find(part[at - 1]) != std::string_view::npos;
    if (begins && (end == part.size() || k_around.find(part[end]) != std::string_view::npos)) return begin + at;
  }
  return std::nullopt;
}

std::string with_advice(const std::string& text, const std::string& advice) {
  return advice.empty() ? text : cat(text, "\n", advice);
}

class Placing {
 public:
  Placing(const TextDocument& document, const std::string& name)
      : document_(document), name_(name), marks_(document.text()) {}

  Finding place(const Mistake& mistake, bool error) {
    Finding found{
        .where = {}, .error = error, .type = mistake.type, .message = with_advice(mistake.text, mistake.advice)};
    if (mistake.file == name_ && mistake.line > 0) {
      const std::size_t mark = marks_.offset_of(mistake.line, mistake.column);
      const std::size_t begin = quoted_word_behind(document_.text(), mark, mistake.text).value_or(mark);
      found.where = document_.stretch_of(begin, end_of_word(document_.text(), begin));
    } else if (!mistake.file.empty() && mistake.file != name_) {
      found.where = place_of_name(document_, mistake.file);
      found.file = mistake.file;
      found.line = mistake.line == 0 ? 0 : mistake.line - 1;
      found.message =
          cat(fs::path(mistake.file).filename().string(), ":", mistake.line, ":", mistake.column, ": ", found.message);
    }
    return found;
  }

 private:
  const TextDocument& document_;
  const std::string& name_;
  MarkedText marks_;
};

}  // namespace

std::optional<std::string> OpenFiles::read(const fs::path& path) const {
  const auto found = open_.find(path.string());
  if (found != open_.end()) return *found->second;
  const std::optional<FileStatus> status = disk_.status(path);
  if (!status || status->type != FileStatus::Type::regular || status->size > k_largest_document) return std::nullopt;
  return disk_.read(path);
}

std::vector<Finding> look_at(const TextDocument& document, const OpenFiles& files, const Look& look) {
  Placing placing(document, look.name);
  std::vector<Finding> findings;
  try {
    const Mistakes mistakes = mistakes_of(files, look);
    for (const Mistake& error : mistakes.errors) findings.push_back(placing.place(error, true));
    for (const Mistake& warning : mistakes.warnings) findings.push_back(placing.place(warning, false));
  } catch (const Error& error) {  // a file that may not be read, say
    findings.push_back({.where = {}, .error = true, .type = "", .message = error.story()});
  }
  return findings;
}

Value parsed(const std::string& text) {
  const Result<Value> read = parse_yaml(text, "document", 0);
  return read && read->is_map() ? *read : Value();
}

Value readable_part(const std::string& text) {
  Sources sources;
  Mending mending;
  return parsed(mending.readable("document", text, "template", sources));
}

bool is_template_text(std::string_view text) {
  return std::any_of(k_versions.begin(), k_versions.end(), [&](std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
      const std::string_view before = text.substr(0, at).substr(text.substr(0, at).find_last_of("\r\n") + 1);
      if (before.find_first_not_of(" \t\"'{\xef\xbb\xbf") == std::string_view::npos) return true;
    }
    return false;
  });
}

}  // namespace hearth::metadata::lsp
