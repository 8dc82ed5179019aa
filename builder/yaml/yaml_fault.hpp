// What the readers of element YAML share: a fault with its place, and texts out of nodes. For their .cpp files only.
#pragma once

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/text.hpp"
#include "builder/yaml/parse_faults.hpp"
#include "builder/yaml/yaml_merge.hpp"

namespace hearth::builder {

/// The words that are true or false in our files, in any case, as a pattern for editors, which read YAML 1.2.
inline constexpr const char* k_flag_pattern =
    "^([Tt][Rr][Uu][Ee]|[Yy][Ee][Ss]|[Oo][Nn]|[Ff][Aa][Ll][Ss][Ee]|[Nn][Oo]|[Oo][Ff][Ff])$";

inline Position position_of(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

/// Thrown inside a reader only; its face turns it into a ParseError.
struct YamlFault {
  Position at;
  std::string what;
};

/// Keeps what is wrong in files that are read together, each fault once: a person is told all of it.
class YamlFaults {
 public:
  /// What is read of from now on.
  void now_reading(const std::string& file) { file_ = file; }

  /// Does `work`, and keeps the fault that it throws. Whether there was none.
  template <class Work>
  bool gather(const Work& work) {
    try {
      work();
      return true;
    } catch (const YamlFault& fault) {
      add({file_, fault.at, fault.what});
    } catch (const YAML::Exception& error) {
      add({file_, position_of(error.mark), error.msg});
    }
    return false;
  }

  [[nodiscard]] const std::vector<ParseError>& all() const { return all_; }

 private:
  void add(ParseError error) {
    if (std::find(all_.begin(), all_.end(), error) == all_.end()) all_.push_back(std::move(error));
  }

  std::string file_;
  std::vector<ParseError> all_;
};

/// ", did you mean NAME?" where a name is near to what was written.
inline std::string did_you_mean(const std::string& written, const std::vector<std::string>& names) {
  const std::optional<std::string> meant = nearest(written, names);
  return meant ? cat(", did you mean ", *meant, "?") : "";
}

inline std::string yaml_text(const YAML::Node& node, const std::string& name) {
  if (!node.IsScalar()) throw YamlFault{position_of(node.Mark()), cat("'", name, "' must be a text")};
  return node.Scalar();
}

/// Parses `text` and hands its root to `read`; faults become ParseErrors of `file`.
template <class T, class Read>
[[nodiscard]] Result<T> read_yaml(std::string_view text, std::string_view file, const Read& read) {
  try {
    return read(load_yaml(std::string(text)));
  } catch (const YamlFault& fault) {
    return ParseError{std::string(file), fault.at, fault.what};
  } catch (const YAML::Exception& error) {
    return ParseError{std::string(file), position_of(error.mark), error.msg};
  }
}

/// Likewise, where `read` gathers with the faults that it is handed.
template <class T, class Read>
[[nodiscard]] Result<T, ParseFaults> read_all_yaml(std::string_view text, std::string_view file, const Read& read) {
  YamlFaults faults;
  faults.now_reading(std::string(file));
  std::optional<T> value;
  faults.gather([&] { value = read(load_yaml(std::string(text)), faults); });
  if (!faults.all().empty()) return ParseFaults{faults.all()};
  return std::move(*value);
}

}  // namespace hearth::builder
