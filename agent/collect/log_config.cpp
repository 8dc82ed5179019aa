#include "agent/collect/log_config.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "agent/collect/ini.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

using IniSection = std::map<std::string, std::string>;

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string& name : split(text, ',')) {
    if (!trim(name).empty()) names.emplace_back(trim(name));
  }
  return names;
}

std::string value_of(const IniSection& section, const std::string& key) {
  const auto found = section.find(key);
  return found == section.end() ? "" : found->second;
}

/// The texts in quotes of a Python tuple: ('/var/log/x', 'a').
std::vector<std::string> quoted_texts(std::string_view tuple) {
  std::vector<std::string> texts;
  std::size_t begin = tuple.find_first_of("'\"");
  while (begin != std::string_view::npos) {
    const std::size_t end = tuple.find(tuple[begin], begin + 1);
    if (end == std::string_view::npos) break;
    texts.emplace_back(tuple.substr(begin + 1, end - begin - 1));
    begin = tuple.find_first_of("'\"", end + 1);
  }
  return texts;
}

/// Python's levels; "above" all of ours: nothing is logged.
std::optional<LogLevel> level_of(const std::string& name) {
  if (name == "CRITICAL" || name == "FATAL") return std::nullopt;
  if (name == "ERROR") return LogLevel::error;
  if (name == "WARNING" || name == "WARN") return LogLevel::warning;
  return name == "INFO" ? LogLevel::info : LogLevel::debug;  // DEBUG and NOTSET
}

class ConfigReader {
 public:
  ConfigReader(const std::vector<Assignment>& assignments, std::string source) : error_{std::move(source), {}, ""} {
    for (const Assignment& one : assignments) sections_[one.group][one.key] = one.value;
  }

  Result<LogOptions> run() {
    options_ = {};
    options_.to_stderr = false;
    const IniSection* own = logger("os_collect_config");
    const IniSection* root = find("logger_root");
    if (root == nullptr) return problem("there is no section [logger_root]");
    const IniSection& decisive = own != nullptr && level_of(*own) ? *own : *root;
    threshold_ = hearth::agent::level_of(value_of(decisive, "level"));
    std::vector<std::string> handlers =
        own == nullptr ? std::vector<std::string>{} : names_in(value_of(*own, "handlers"));
    if (own == nullptr || value_of(*own, "propagate") != "0") {
      for (std::string& name : names_in(value_of(*root, "handlers"))) handlers.push_back(std::move(name));
    }
    for (const std::string& name : handlers) take_handler(name);
    if (!error_.what.empty()) return error_;
    options_.threshold = threshold_;
    return options_;
  }

 private:
  static bool level_of(const IniSection& section) {
    const std::string level = value_of(section, "level");
    return !level.empty() && level != "NOTSET";
  }

  [[nodiscard]] const IniSection* find(const std::string& name) const {
    const auto found = sections_.find(name);
    return found == sections_.end() ? nullptr : &found->second;
  }

  /// The logger section whose qualname is `name`.
  [[nodiscard]] const IniSection* logger(const std::string& name) const {
    for (const auto& [title, section] : sections_) {
      if (title.compare(0, 7, "logger_") == 0 && value_of(section, "qualname") == name) return &section;
    }
    return nullptr;
  }

  ParseError problem(std::string what) {
    error_.what = std::move(what);
    return error_;
  }

  void take_handler(const std::string& name) {
    const IniSection* handler = find(cat("handler_", name));
    if (handler == nullptr) {
      problem(cat("there is no section [handler_", name, "]"));
      return;
    }
    const bool is_first = !options_.to_stderr && options_.file.empty() && !options_.to_syslog && !options_.to_journal;
    take_sink(value_of(*handler, "class"), value_of(*handler, "args"));
    if (!is_first) return;
    const std::optional<LogLevel> own = hearth::agent::level_of(value_of(*handler, "level"));
    threshold_ = !own || !threshold_ ? std::nullopt : std::optional(std::max(*own, *threshold_));
    take_formatter(value_of(*handler, "formatter"));
  }

  void take_sink(const std::string& kind, const std::string& arguments) {
    if (kind.ends_with("FileHandler")) {
      const std::vector<std::string> texts = quoted_texts(arguments);
      if (texts.empty()) {
        problem(cat("the file name is missing in args=", arguments));
        return;
      }
      options_.file = texts.front();
      options_.watch_file = kind.ends_with("WatchedFileHandler");
    } else if (kind.ends_with("SysLogHandler") || kind.ends_with("OSSysLogHandler")) {
      options_.to_syslog = true;
    } else if (kind.ends_with("JournalHandler")) {
      options_.to_journal = true;
    } else if (!kind.ends_with("NullHandler")) {
      options_.to_stderr = true;  // streams, and what we don't know: better on stderr than lost
    }
  }

  void take_formatter(const std::string& name) {
    const IniSection* formatter = name.empty() ? nullptr : find(cat("formatter_", name));
    options_.format = formatter == nullptr ? "%(message)s" : value_of(*formatter, "format");
    const std::string dates = formatter == nullptr ? "" : value_of(*formatter, "datefmt");
    options_.as_json = formatter != nullptr && value_of(*formatter, "class").ends_with("JSONFormatter");
    options_.python_dates = dates.empty();
    if (!dates.empty()) options_.date_format = dates;
  }

  std::map<std::string, IniSection> sections_;
  ParseError error_;
  LogOptions options_;
  std::optional<LogLevel> threshold_;
};

}  // namespace

Result<LogOptions> parse_log_config(std::string_view text, const std::string& source) {
  const Result<std::vector<Assignment>> assignments = parse_ini(text, source);
  if (!assignments) return assignments.error();
  return ConfigReader(*assignments, source).run();
}

}  // namespace hearth::agent
