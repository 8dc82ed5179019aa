#include "agent/collect/ini.hpp"

#include "base/text.hpp"

namespace hearth::agent {

namespace {

std::string_view trim_right(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n\v\f");
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
}

std::string unquoted(std::string_view value) {
  const bool quoted =
      !value.empty() && value.front() == value.back() && (value.front() == '"' || value.front() == '\'');
  if (!quoted) return std::string(value);
  return std::string(value.size() < 2 ? std::string_view() : value.substr(1, value.size() - 2));
}

class IniParser {
 public:
  explicit IniParser(std::string source) : error_{std::move(source), {}, ""} {}

  Result<std::vector<Assignment>> run(std::string_view text) {
    for (const std::string& line : split_lines(text)) {
      ++error_.at.line;
      take_line(trim_right(line));
      if (!error_.what.empty()) return error_;
    }
    return std::move(assignments_);
  }

 private:
  void take_line(std::string_view line) {
    if (line.empty() || line.front() == '#' || line.front() == ';') {
      continuable_ = false;
    } else if (line.front() == ' ' || line.front() == '\t') {
      take_continuation(line);
    } else if (line.front() == '[') {
      take_section(line);
    } else {
      take_assignment(line);
    }
  }

  void take_continuation(std::string_view line) {
    if (!continuable_) {
      error_.what = cat("Unexpected continuation line: '", line, "'");
      return;
    }
    assignments_.back().value += cat("\n", trim(line));
  }

  void take_section(std::string_view line) {
    continuable_ = false;
    if (line.back() != ']') {
      error_.what = cat("Invalid section (must end with ]): '", line, "'");
    } else if (line.size() == 2) {
      error_.what = "Empty section name: '[]'";
    } else {
      group_ = normal_group(line.substr(1, line.size() - 2));
    }
  }

  void take_assignment(std::string_view line) {
    const std::size_t mark = line.find_first_of("=:");
    if (mark == std::string_view::npos) {
      error_.what = cat("No ':' or '=' found in assignment: '", line, "'");
    } else if (trim(line.substr(0, mark)).empty()) {
      error_.what = cat("Key cannot be empty: '", line, "'");
    } else if (group_.empty()) {
      error_.what = "Section must be started before assignment";
    } else {
      assignments_.push_back({group_, std::string(trim(line.substr(0, mark))), unquoted(trim(line.substr(mark + 1)))});
      continuable_ = true;
    }
  }

  ParseError error_;
  std::vector<Assignment> assignments_;
  std::string group_;
  bool continuable_ = false;  ///< an indented line would go on the last assignment's value
};

}  // namespace

Result<std::vector<Assignment>> parse_ini(std::string_view text, const std::string& source) {
  return IniParser(source).run(text);
}

std::string normal_group(std::string_view name) { return name == "DEFAULT" ? std::string(name) : to_lower(name); }

}  // namespace hearth::agent
