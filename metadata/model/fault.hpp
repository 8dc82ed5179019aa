// What is wrong with a template, its environment or a value: the kind (named as Heat names it, since users and the
// cases know these names), where, and in which part of the template.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "metadata/model/mark.hpp"

namespace hearth::metadata {

class Fault : public Error {
 public:
  Fault(std::string type, std::string text, Mark mark = {}, std::string path = {})
      : Error(ErrorKind::input, path.empty() ? text : path + ": " + text),
        type_(std::move(type)),
        text_(std::move(text)),
        path_(std::move(path)),
        mark_(mark) {}

  [[nodiscard]] const std::string& type() const { return type_; }  ///< "StackValidationFailed", "TypeError"
  [[nodiscard]] const std::string& text() const { return text_; }  ///< without the path
  [[nodiscard]] const std::string& path() const { return path_; }  ///< "resources.a.properties.config"; may be empty
  [[nodiscard]] const Mark& mark() const { return mark_; }
  /// The same fault as seen from further out.
  [[nodiscard]] Fault below(const std::string& prefix) const {
    if (path_.empty()) return Fault(type_, text_, mark_, prefix).advised_as(*this);
    return Fault(type_, text_, mark_, prefix + (path_.front() == '[' ? "" : ".") + path_).advised_as(*this);
  }
  [[nodiscard]] Fault at(const Mark& mark) const {
    return mark_.known() ? *this : Fault(type_, text_, mark, path_).advised_as(*this);
  }
  [[nodiscard]] Fault as(std::string type) const {
    return Fault(std::move(type), text_, mark_, path_).advised_as(*this);
  }
  /// Adds what to do next; it goes with the fault wherever that is seen from.
  Fault& hint(std::string text) {
    advice_ = text;
    Error::hint(std::move(text));
    return *this;
  }
  [[nodiscard]] const std::string& advice() const { return advice_; }  ///< may be empty
  /// Advises the nearest of the names that are known, where one is near to what was written.
  Fault& suggest(std::string_view written, const std::vector<std::string>& known) {
    const std::optional<std::string> near = nearest(written, known);
    if (!near) return *this;
    misspelt_ = written;
    suggestion_ = *near;
    return hint("Did you mean " + *near + "?");
  }
  [[nodiscard]] const std::string& misspelt() const { return misspelt_; }  ///< of suggest(); may be empty
  [[nodiscard]] const std::string& suggestion() const { return suggestion_; }
  /// The map at the mark has to have a member of this name.
  Fault& lacks(std::string member) {
    lacking_ = std::move(member);
    return *this;
  }
  [[nodiscard]] const std::string& lacking() const { return lacking_; }  ///< may be empty
  /// The frames and the hint of another fault, of which this one is told in its place.
  Fault& advised_as(const Fault& other) {
    for (const std::string& frame : other.frames()) (void)during(frame);
    if (!other.advice_.empty()) hint(other.advice_);
    misspelt_ = other.misspelt_;
    suggestion_ = other.suggestion_;
    lacking_ = other.lacking_;
    return *this;
  }
  /// The whole fault with file, line and column in front, its frames and its hint.
  [[nodiscard]] Error located(const Sources& sources) const {
    const std::string where = sources.text(mark_);
    Error error(ErrorKind::input, (where.empty() ? "" : where + ": ") + what());
    for (const std::string& frame : frames()) error.during(frame);
    if (!advice_.empty()) error.hint(advice_);
    return error;
  }

 private:
  std::string type_, text_, path_, advice_, misspelt_, suggestion_, lacking_;
  Mark mark_;
};

inline Fault validation_fault(std::string text, Mark mark = {}, std::string path = {}) {
  return {"StackValidationFailed", std::move(text), mark, std::move(path)};
}
inline Fault type_fault(std::string text, Mark mark = {}) { return {"TypeError", std::move(text), mark}; }
inline Fault value_fault(std::string text, Mark mark = {}) { return {"ValueError", std::move(text), mark}; }
inline Fault key_fault(std::string text, Mark mark = {}) { return {"KeyError", std::move(text), mark}; }

}  // namespace hearth::metadata
