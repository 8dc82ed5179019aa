// The catalog: every element that the search path offers. An earlier directory of the path wins over a later one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/sys/file.hpp"
#include "builder/elements/element.hpp"

namespace hearth::builder {

class Catalog {
 public:
  /// Scans ELEMENTS_PATH entries, then Hearth's own tree, then `fallback`. Throws Error(input) for an entry that is not
  /// a directory (the empty entry included), in upstream's words.
  [[nodiscard]] static Catalog scan(const FileReader& files, const std::vector<fs::path>& search_path,
                                    const fs::path& built_in, const std::vector<fs::path>& fallback = {});

  [[nodiscard]] const Element* find(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] const std::map<std::string, Element>& elements() const { return elements_; }
  /// The directories searched, in order, for messages.
  [[nodiscard]] std::string search_path_text() const;
  /// For whoever does not find an element: where was looked, and what has it look elsewhere, too.
  [[nodiscard]] std::string searched_text() const;
  /// What is odd about directories of ELEMENTS_PATH in which nobody finds an element, and its right value; may be
  /// empty.
  [[nodiscard]] std::string doubts() const;
  /// "Element <A> overrides <B>" for each element that hides another of its name; of many one line.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  void add(const FileReader& files, const fs::path& directory, bool built_in, bool fallback);

  std::map<std::string, Element> elements_;
  std::vector<fs::path> search_path_;
  std::vector<std::string> notes_;
  std::vector<fs::path> meant_path_;  ///< ELEMENTS_PATH, with what its odd entries were meant to be
  std::vector<std::string> doubts_;   ///< why entries are odd
};

}  // namespace hearth::builder
