// What can be asked of a running machine: files, packages, services, ports … in the words of goss, whose files people
// have (https://github.com/goss-org/goss, docs/gossfile.md). Each type is one row: its properties, the shell commands
// that find out, and how what they found is judged. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::builder::vm {

struct Verdict {
  enum class Outcome {
    passed,
    failed,
    unanswered,  ///< nobody answered, or nobody came to ask: whether it is so is not known
    skipped,
  };
  std::string name;  ///< as a person reads it: "http 80/", "file /etc/motd: mode"
  Outcome outcome = Outcome::failed;
  std::string told;  ///< what is there, or why not
  /// It is not so, or not known to be.
  [[nodiscard]] bool failed() const { return outcome == Outcome::failed || outcome == Outcome::unanswered; }
};

struct Expectation {
  std::string property;
  std::vector<std::string> values;  ///< one, but for lists
};

/// One resource and what is expected of it: {"file", "/etc/motd", {{"mode", {"0644"}}}}.
struct ResourceCheck {
  std::string type;
  std::string name;
  std::vector<Expectation> expected;
  bool skip = false;  ///< the file says so
  [[nodiscard]] const std::string* value(std::string_view property) const;
};

enum class Shape { flag, number, text, texts, patterns };

struct Property {
  std::string_view name;
  Shape shape;
  const char* meaning;
  /// Why a value is none, behind the property's name; empty for a good one.
  std::string (*refusal)(const std::string& value) = nullptr;
  const char* pattern = nullptr;  ///< for schemas: what its texts are like
  std::uint64_t most = 0;         ///< likewise of a number; 0: any
};

/// What a machine answered about one resource, by name. A fact that could not be had is missing.
using Facts = std::map<std::string, std::string>;

struct ResourceType {
  std::string_view name;
  const char* named_by;  ///< what its keys are: "a path"
  std::vector<Property> properties;
  /// Shell commands; each pipes a fact into `tell NAME`.
  std::string (*probe)(const ResourceCheck& check);
  Verdict::Outcome (*judge)(const ResourceCheck& check, const Expectation& expected, const Facts& facts,
                            std::string& is);
  /// Why a name is none; empty for a good one.
  std::string (*refusal)(const std::string& name) = nullptr;
  const char* name_pattern = ".";  ///< for schemas: what names are like, as far as an expression can say it
};
[[nodiscard]] const std::vector<ResourceType>& resource_types();

/// The exit code of a machine that lacks what the script is made of.
inline constexpr int k_lacks_programs = 42;
/// A script for sh that finds out about all of them; what it prints is for `judge`.
[[nodiscard]] std::string probe_script(const std::vector<ResourceCheck>& checks);

struct Answers {
  bool is_whole = false;     ///< from the script's beginning to its end
  bool has_started = true;   ///< the machine's own start is over, as far as systemd tells
  std::vector<Facts> facts;  ///< of each check
};
[[nodiscard]] Answers parse_answers(const std::string& output, std::size_t checks);

/// Of a machine that did not answer: one for each expectation, with `why`; skipped is what the file says.
[[nodiscard]] std::vector<Verdict> unanswered(const std::vector<ResourceCheck>& checks, const std::string& why);

/// One for each expectation, in order.
[[nodiscard]] std::vector<Verdict> judge(const std::vector<ResourceCheck>& checks, const Answers& answers);

/// Which of goss's patterns are not in the text: words, /a regular expression/ (of one line), !neither of these. Empty:
/// all are.
[[nodiscard]] std::vector<std::string> unmatched(const std::vector<std::string>& patterns, const std::string& text);

}  // namespace hearth::builder::vm
