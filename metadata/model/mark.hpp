// Where a value stood: eight bytes that every value carries with it, so that any error and `explain` can name the line.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace hearth::metadata {

/// File (by its number in Sources), line and column; zero = unknown. Beyond the fields' width they stay at the largest.
struct Mark {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool operator==(const Mark&) const = default;
  [[nodiscard]] bool known() const { return line != 0; }
};

/// The names behind the file numbers of marks.
class Sources {
 public:
  /// The number of `name`; the same name gets the same number.
  std::uint32_t add(std::string_view name) {
    const auto found = numbers_.find(std::string(name));
    if (found != numbers_.end()) return found->second;
    names_.emplace_back(name);
    const auto number = static_cast<std::uint32_t>(names_.size());
    numbers_.emplace(std::string(name), number);
    return number;
  }
  [[nodiscard]] const std::string& name(std::uint32_t file) const {
    static const std::string none;
    return file == 0 || file > names_.size() ? none : names_[file - 1];
  }
  /// "FILE:LINE:COLUMN", or what of it is known.
  [[nodiscard]] std::string text(const Mark& mark) const {
    const std::string& file = name(mark.file);
    if (!mark.known()) return file;
    return file + (file.empty() ? "line " : ":") + std::to_string(mark.line) + ":" + std::to_string(mark.column);
  }

 private:
  std::deque<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

}  // namespace hearth::metadata
