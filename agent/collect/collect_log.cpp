#include "agent/collect/collect_log.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <iomanip>
#include <sstream>

#include "agent/log/python_log.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/sys/datagram.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr const char* k_name = "os-collect-config";
constexpr const char* k_journal = "/run/systemd/journal/socket";

int priority_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return LOG_DEBUG;
    case LogLevel::info: return LOG_INFO;
    case LogLevel::warning: return LOG_WARNING;
    case LogLevel::error: return LOG_ERR;
  }
  return LOG_ERR;
}

/// "LOG_LOCAL3", "local3", "daemon"; anything else is LOG_USER.
int facility_of(const std::string& name) {
  std::string word = to_lower(name);
  if (word.compare(0, 4, "log_") == 0) word.erase(0, 4);
  const std::map<std::string, int> facilities = {
      {"kern", LOG_KERN},     {"user", LOG_USER},     {"mail", LOG_MAIL},     {"daemon", LOG_DAEMON},
      {"auth", LOG_AUTH},     {"syslog", LOG_SYSLOG}, {"cron", LOG_CRON},     {"authpriv", LOG_AUTHPRIV},
      {"local0", LOG_LOCAL0}, {"local1", LOG_LOCAL1}, {"local2", LOG_LOCAL2}, {"local3", LOG_LOCAL3},
      {"local4", LOG_LOCAL4}, {"local5", LOG_LOCAL5}, {"local6", LOG_LOCAL6}, {"local7", LOG_LOCAL7}};
  const auto found = facilities.find(word);
  return found == facilities.end() ? LOG_USER : found->second;
}

std::string time_text(const std::string& format, WallTime time) {
  const std::time_t seconds =
      std::chrono::system_clock::to_time_t(std::chrono::time_point_cast<std::chrono::system_clock::duration>(
          std::chrono::floor<std::chrono::seconds>(time)));
  std::tm local{};
  ::localtime_r(&seconds, &local);
  std::ostringstream text;
  text << std::put_time(&local, format.c_str());
  const std::string with_milliseconds = log_time(time, '.');
  return cat(text.str(), std::string_view(with_milliseconds).substr(with_milliseconds.size() - 4));
}

/// The time as strftime(3) writes it, without fractions.
std::string plain_time(const std::string& format, WallTime time) {
  const std::string whole = time_text(format, time);
  return whole.substr(0, whole.size() - 4);
}

/// Python's numbers of the levels.
int level_number(LogLevel level) { return 10 + 10 * static_cast<int>(level); }

std::string field(std::string_view name, const LogOptions& options, LogLevel level, std::string_view text,
                  WallTime time, int pid) {
  if (name == "message") return one_line(text);
  if (name == "levelname") return std::string(log_level_name(level));
  if (name == "levelno") return std::to_string(level_number(level));
  if (name == "name") return k_name;
  if (name == "process") return std::to_string(pid);
  if (name == "asctime") return options.python_dates ? log_time(time, ',') : plain_time(options.date_format, time);
  const std::string with_milliseconds = log_time(time, '.');
  std::string milliseconds = with_milliseconds.substr(with_milliseconds.size() - 3);
  if (name == "msecs") return milliseconds;
  if (name != "created") return "";
  return cat(unix_seconds(time), ".", milliseconds);
}

/// "%(name)s" and the like, whatever the width and letter behind the parenthesis, become the field.
std::string with_fields(const LogOptions& options, LogLevel level, std::string_view text, WallTime time, int pid) {
  std::string out;
  std::string_view rest = options.format;
  while (!rest.empty()) {
    const std::size_t end = rest.substr(0, 2) == "%(" ? rest.find(')') : std::string_view::npos;
    const std::size_t letter = end == std::string_view::npos ? end : rest.find_first_of("sdfgrx", end + 1);
    if (letter != std::string_view::npos) {
      out += field(rest.substr(2, end - 2), options, level, text, time, pid);
      rest.remove_prefix(letter + 1);
    } else {
      out += rest.front();
      rest.remove_prefix(rest.substr(0, 2) == "%%" ? 2 : 1);
    }
  }
  return out;
}

/// The journal's native protocol: FIELD=VALUE lines, so that a value with line ends would need another form.
std::string journal_entry(LogLevel level, std::string_view text) {
  return cat("MESSAGE=", one_line(text), "\nPRIORITY=", priority_of(level), "\nSYSLOG_IDENTIFIER=", k_name,
             "\nSYSLOG_PID=", ::getpid(), "\n");
}

}  // namespace

LogOptions log_options(const Settings& settings) {
  const auto flag = [&settings](const char* name) { return settings.flag("DEFAULT", name); };
  const auto text = [&settings](const char* name) { return settings.text_or("DEFAULT", name, ""); };
  LogOptions options{.threshold = flag("debug") ? LogLevel::debug : LogLevel::info,
                     .file = text("log_file"),
                     .watch_file = flag("watch_log_file"),
                     .to_syslog = flag("use_syslog"),
                     .to_journal = flag("use_journal"),
                     .as_json = flag("use_json"),
                     .syslog_facility = facility_of(text("syslog_log_facility"))};
  options.date_format = settings.text_or("DEFAULT", "log_date_format", options.date_format);
  const std::string directory = text("log_dir");
  if (options.file.empty() && !directory.empty()) options.file = cat(k_name, ".log");
  if (!options.file.empty() && options.file.front() != '/' && !directory.empty()) {
    options.file = cat(directory, "/", options.file);
  }
  const bool elsewhere = !options.file.empty() || options.to_syslog || options.to_journal;
  options.to_stderr = flag("use_stderr") || !elsewhere;
  return options;
}

std::string format_record(const LogOptions& options, LogLevel level, std::string_view text, WallTime time, int pid) {
  if (!options.format.empty() && !options.as_json) return with_fields(options, level, text, time, pid);
  const std::string when = time_text(options.date_format, time);
  if (!options.as_json) return cat(when, " ", pid, " ", log_level_name(level), " ", k_name, " [-] ", one_line(text));
  const Json record = {
      {"message", text}, {"asctime", when}, {"name", k_name}, {"levelname", log_level_name(level)}, {"process", pid}};
  return format_json(record, {.ascii = true, .lossy = true});
}

CollectLog::CollectLog(LogOptions options, const Clock& clock) : options_(std::move(options)), clock_(clock) {
  if (options_.to_syslog) ::openlog(k_name, LOG_PID, options_.syslog_facility);
  if (options_.file.empty()) return;
  try {
    file_ = Fd::open(options_.file, O_WRONLY | O_APPEND | O_CREAT, 0644);
  } catch (const Error& error) {
    options_.file.clear();
    options_.to_stderr = true;
    log(LogLevel::warning, cat("Could not open the log file: ", error.what()));
  }
}

CollectLog::~CollectLog() {
  if (options_.to_syslog) ::closelog();
}

void CollectLog::log(LogLevel level, std::string_view text) noexcept {
  if (!options_.threshold || level < *options_.threshold) return;
  try {
    write_record(level, text);
  } catch (...) {  // disk full, out of memory: the line is lost, the work goes on
  }
}

void CollectLog::write_record(LogLevel level, std::string_view text) {
  if (options_.to_syslog) ::syslog(priority_of(level), "%s", one_line(text).c_str());
  if (options_.to_journal) send_datagram(k_journal, journal_entry(level, text));
  const std::string line = cat(format_record(options_, level, text, clock_.wall(), ::getpid()), "\n");
  if (options_.to_stderr) [[maybe_unused]]
    const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  if (file_) write_file(line);
}

void CollectLog::write_file(const std::string& line) {
  if (options_.watch_file) {
    struct stat named {};
    struct stat open {};
    const bool same = ::stat(options_.file.c_str(), &named) == 0 && ::fstat(file_.get(), &open) == 0 &&
                      named.st_ino == open.st_ino && named.st_dev == open.st_dev;
    if (!same) file_ = Fd::open(options_.file, O_WRONLY | O_APPEND | O_CREAT, 0644);
  }
  write_all(file_, line, options_.file);
}

}  // namespace hearth::agent
