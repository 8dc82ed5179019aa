#include "metadata/model/plain_words.hpp"

#include <array>
#include <functional>
#include <utility>

#include "base/text.hpp"

namespace hearth::metadata {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> k_python_types = {{{"str", "a text"},
                                                                                          {"int", "a whole number"},
                                                                                          {"float", "a number"},
                                                                                          {"bool", "true or false"},
                                                                                          {"list", "a list"},
                                                                                          {"dict", "a map"},
                                                                                          {"NoneType", "nothing"},
                                                                                          {"tuple", "a list"}}};

std::string words_of_type(const std::string& type) {
  for (const auto& [python, ours] : k_python_types) {
    if (python == type) return std::string(ours);
  }
  return type;
}

/// What Python says, with one part of it in the middle, and what we say of that part.
struct Phrase {
  std::string_view before;
  std::string_view after;  ///< empty = the end of the text
  std::function<std::string(const std::string&)> ours;
};

std::string needs(std::string_view what, const std::string& type) {
  return cat(what, " is needed here, not ", words_of_type(type));
}

const std::vector<Phrase>& phrases() {
  static const std::vector<Phrase> all = {
      {"'", "' object has no attribute 'split'", [](const std::string& type) { return needs("a text", type); }},
      {"'", "' object has no attribute 'endswith'", [](const std::string& type) { return needs("a text", type); }},
      {"'", "' object has no attribute 'items'", [](const std::string& type) { return needs("a map", type); }},
      {"object of type '", "' has no len()",
       [](const std::string& type) { return cat(words_of_type(type), " has no length"); }},
      {"unhashable type: '", "'", [](const std::string& type) { return cat(words_of_type(type), " can't be a name"); }},
      {"could not convert string to float: ", "", [](const std::string& text) { return cat(text, " is no number"); }},
      {"invalid literal for int() with base 10: ", "",
       [](const std::string& text) { return cat(text, " is no whole number"); }},
      {"replace() argument 2 must be str, not ", "",
       [](const std::string& type) { return cat("what is put in is a text, not ", words_of_type(type)); }},
      {"sequence item: expected str instance", "", [](const std::string&) { return "each item must be a text"; }},
      {"Found a [<class '", "'>]", [](const std::string& type) { return cat("Found ", words_of_type(type)); }},
      {"<class '", "'>", [](const std::string& type) { return words_of_type(type); }},
      {" (min: None, max: ", ")", [](const std::string& most) { return cat(" (at most ", most, ")"); }},
      {" (min: ", ", max: None)", [](const std::string& least) { return cat(" (at least ", least, ")"); }},
      {"No content found in the \"files\" section for get_file path: ", "",
       [](const std::string& file) { return cat("get_file: there is no file ", file); }},
      {"tuple index out of range", "", [](const std::string&) { return "there is no such item"; }},
      {"Replacement index out of range for positional args tuple", "",
       [](const std::string&) { return "the text asks for more values than are given"; }},
      {"Duplicate names {'", "'}",
       [](const std::string& names) {
         return cat("parameters and resources can't have the same names: ", replace_all(names, "', '", ", "));
       }},
  };
  return all;
}

/// KeyError's text is the representation of a text: in quotes, with escapes.
std::string unquoted(const std::string& text) {
  constexpr std::string_view k_syntax = "\" syntax should be ";
  const std::size_t syntax = text.find(k_syntax);
  if (!text.starts_with("'\"") || !text.ends_with('\'') || syntax == std::string::npos) return text;
  const std::string name = text.substr(2, syntax - 2);
  const std::string form = text.substr(syntax + k_syntax.size(), text.size() - syntax - k_syntax.size() - 1);
  // Its lines stand twelve blanks further in there.
  return cat(name, " is written so:\n  ", replace_all(replace_all(form, "\\n", "\n"), "\n          ", "\n"));
}

/// All that KeyError says is what was asked for.
bool is_key_error(const std::string& text) {
  return text.size() > 2 && text.front() == '\'' && text.find('\'', 1) == text.size() - 1;
}

}  // namespace

std::string plain_words(std::string text) {
  text = unquoted(text);
  if (is_key_error(text)) return cat("there is no ", text, " in it");
  for (const Phrase& phrase : phrases()) {
    std::size_t end = phrase.after.empty() ? text.size() : text.find(phrase.after);
    if (end == std::string::npos) continue;
    // The last opening before the closing one: a quote may stand further in front, too.
    if (phrase.before.size() > 1 && !phrase.after.empty())
      end = text.find(phrase.after, text.find(phrase.before) + phrase.before.size());
    const std::size_t begin = end == 0 || end == std::string::npos ? std::string::npos
                              : phrase.after.empty()               ? text.find(phrase.before)
                                                                   : text.rfind(phrase.before, end - 1);
    if (begin == std::string::npos || begin + phrase.before.size() > end) continue;
    const std::string part = text.substr(begin + phrase.before.size(), end - begin - phrase.before.size());
    text = cat(text.substr(0, begin), phrase.ours(part), text.substr(end + phrase.after.size()));
  }
  return text;
}

Fault in_plain_words(const Fault& fault) {
  return Fault(fault.type(), plain_words(fault.text()), fault.mark(), fault.path()).advised_as(fault);
}

}  // namespace hearth::metadata
