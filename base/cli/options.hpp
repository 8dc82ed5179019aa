// Options as a table: parsing, help and completion all come from the same rows. The parser follows GNU getopt_long:
// options and operands mix, unambiguous prefixes of long names are accepted, "--" ends options.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::cli {

struct Option {
  std::string name;        ///< long name without dashes; empty when there is only a letter
  char letter = 0;         ///< 0 = none
  std::string value_name;  ///< empty = a flag
  std::string help;
  std::vector<std::string> values;  ///< all that the value may be, where that is a fixed set: no other is taken
  std::string heading;              ///< where help shows it; empty = under "Options"
  /// What other programs call a value, and what it is called here: {"img", "raw"}.
  std::vector<std::pair<std::string, std::string>> alike_values = {};

  /// "--name" or "-x", for messages.
  [[nodiscard]] std::string display() const;
  /// The key under which Arguments hold it: the long name, or the letter.
  [[nodiscard]] std::string key() const { return name.empty() ? std::string(1, letter) : name; }
};

/// What a command line said.
class Arguments {
 public:
  [[nodiscard]] bool has(const std::string& key) const { return values_.count(key) > 0; }
  /// How often a flag or option was given.
  [[nodiscard]] std::size_t count(const std::string& key) const;
  /// The last value given.
  [[nodiscard]] std::optional<std::string> value(const std::string& key) const;
  [[nodiscard]] std::string value_or(const std::string& key, std::string fallback) const;
  [[nodiscard]] std::vector<std::string> values(const std::string& key) const;
  [[nodiscard]] const std::vector<std::string>& operands() const { return operands_; }
  /// Throws Error(usage) "which WHAT?" where there are not as many.
  [[nodiscard]] const std::string& operand(std::size_t index, std::string_view what) const;

  void add(const std::string& key, std::string value) { values_[key].push_back(std::move(value)); }
  void add_operand(std::string operand) { operands_.push_back(std::move(operand)); }

 private:
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> operands_;
};

/// Throws Error(usage) for unknown, ambiguous or incomplete options, with the nearest known name.
[[nodiscard]] Arguments parse_options(const std::vector<Option>& table, const std::vector<std::string>& words);

struct NumberRange {
  std::uint64_t least = 1;
  std::uint64_t most = 1'000'000'000;  ///< as seconds, or with a sign, it stays what it is
};

/// The whole number that an option has; `usual` where it is not given. `unit` is for its error (" of seconds"). Throws
/// Error(usage) for anything else.
[[nodiscard]] std::uint64_t number(const Arguments& arguments, const std::string& option, std::uint64_t usual,
                                   NumberRange range = {}, std::string_view unit = "");

/// These options, to be shown under that heading.
[[nodiscard]] std::vector<Option> under(std::string_view heading, std::vector<Option> options);

/// How an option is written: "-o, --output FILE".
[[nodiscard]] std::string signature(const Option& option);

constexpr std::size_t k_unwrapped = std::numeric_limits<std::size_t>::max();

/// The table as aligned help lines, whatever the headings.
[[nodiscard]] std::string options_help(const std::vector<Option>& table, std::size_t width = k_unwrapped);

/// The headings of a table, in the order of its rows; last the empty one, if a row has none.
[[nodiscard]] std::vector<std::string> headings(const std::vector<Option>& table);
/// The rows that have this heading.
[[nodiscard]] std::vector<Option> options_under(std::string_view heading, const std::vector<Option>& table);

}  // namespace hearth::cli
