// Where metadata come from. A source is one row of a table: its name and a function that collects once, without memory
// between rounds except on disk. What it needs of the world comes in through SourceContext.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/collect/settings.hpp"
#include "agent/collect/token_cache.hpp"
#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/net/http.hpp"
#include "base/net/web_socket.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {

/// One document: it is stored as NAME.json.
struct Collected {
  std::string name;
  Json content;
  bool operator==(const Collected&) const = default;
};

/// The source could not be asked, or had nothing. Its documents are absent from this round.
struct Unavailable {
  bool unconfigured = false;  ///< nobody asked for this source; worth a warning only once
};
struct NotConfigured {};
using Collection = std::variant<std::vector<Collected>, Unavailable, NotConfigured>;

/// Lets a message through once in the life of the process: what is not configured stays so from poll to poll.
class OnceLog {
 public:
  explicit OnceLog(Logger& log) : log_(log) {}
  void log(LogLevel level, const std::string& text) {
    log_.log(told_.insert(text).second ? level : LogLevel::debug, text);
  }

 private:
  Logger& log_;
  std::set<std::string> told_;
};

struct SourceContext {
  const Settings& settings;
  const FileReader& files;
  CommandRunner& runner;
  HttpClient& http;
  const Clock& clock;
  Logger& log;
  OnceLog& once;
  TokenCache& tokens;
  MessageDialer& messages;
  unsigned uid = 0;  ///< of this process: local data of others are not trusted
  /// URLs at which a poll was answered that reports of runs are taken; null = nobody keeps them.
  std::set<std::string>* report_urls = nullptr;
  /// Keeps the site's authority (site_authority.hpp); null = nobody does.
  FileSystem* trust = nullptr;
};

struct SourceRow {
  std::string_view name;
  Collection (*collect)(const SourceContext&) = nullptr;
};

/// All sources, in the order in which they are collected when nothing else is said.
[[nodiscard]] const std::vector<SourceRow>& source_rows();

/// Throws Error(input) naming every name that is no source.
void check_source_names(const std::vector<std::string>& names);

/// The options out of `needed` (names in files) that have no value.
[[nodiscard]] std::vector<std::string> missing_options(const Settings& settings, std::string_view group,
                                                       const std::vector<std::string>& needed);

/// What the parser said about a document, in one line for a log message.
[[nodiscard]] std::string json_complaint(const ParseError& error);

/// ['a', 'b'], as Python prints a list of texts.
[[nodiscard]] std::string python_list(const std::vector<std::string>& texts);

}  // namespace hearth::agent
