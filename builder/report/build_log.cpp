#include "builder/report/build_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include "base/net/url.hpp"
#include "base/redaction.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_next_build = "==== the next build begins here; all above is of earlier ones ====";
constexpr std::size_t k_short_secret = 4;  // shorter ones are words of any log
constexpr std::size_t k_short_line = 8;
constexpr std::size_t k_short_token = 16;  // "git@" is none

void add_named_secret(const std::string& value, std::vector<std::string>& secrets) {
  if (value.starts_with('/') || value.starts_with("./") || value.starts_with("~/")) return;
  const std::vector<std::string> lines = split_lines(value);
  const std::size_t least = lines.size() > 1 ? k_short_line : k_short_secret;
  for (const std::string& line : lines) {
    if (trim(line).size() >= least) secrets.emplace_back(trim(line));
  }
}

void add_passwords_of_urls(std::string_view text, std::vector<std::string>& secrets) {
  constexpr std::string_view slashes = "://";
  for (std::size_t at = text.find(slashes); at != std::string_view::npos; at = text.find(slashes, at + 1)) {
    const std::string_view rest = text.substr(at + slashes.size());
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?# \t\n\"'"));
    if (authority.find('@') == std::string_view::npos) continue;
    const std::string_view user = authority.substr(0, authority.rfind('@'));
    const std::size_t colon = user.find(':');
    const std::string secret(colon == std::string_view::npos ? user : user.substr(colon + 1));
    if (secret.size() < (colon == std::string_view::npos ? k_short_token : k_short_secret)) continue;
    secrets.push_back(secret);
    secrets.push_back(percent_decode(secret));
  }
}

}  // namespace

LogSecrets log_secrets(const Environment& environment, const std::vector<std::string>& known) {
  const auto is_in_name = [&known](const std::string& secret) {
    return std::any_of(known.begin(), known.end(),
                       [&](const std::string& name) { return name.find(secret) != std::string::npos; });
  };
  LogSecrets found;
  std::vector<std::string>& secrets = found.values;
  for (const auto& [name, value] : environment) {
    std::vector<std::string> its;
    if (names_secret(name)) add_named_secret(value, its);
    add_passwords_of_urls(value, its);
    if (std::erase_if(its, is_in_name) > 0) found.shown.push_back(name);
    secrets.insert(secrets.end(), its.begin(), its.end());
  }
  std::sort(secrets.begin(), secrets.end(), [](const std::string& one, const std::string& other) {
    return one.size() != other.size() ? one.size() > other.size() : one < other;
  });
  secrets.erase(std::unique(secrets.begin(), secrets.end()), secrets.end());
  return found;
}

std::string BuildLog::fit_to_show(std::string_view line) const {
  std::string shown = without_credentials(line);  // the log is copied along with the image, and kept by CI
  for (const std::string& secret : secrets_) {
    if (shown.find(secret) != std::string::npos) shown = replace_all(shown, secret, std::string(k_redacted));
  }
  return shown;
}

std::string utc_stamp(WallTime time) {
  const auto since_epoch = time.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_epoch);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch - seconds).count();
  const std::time_t clock_seconds = seconds.count();
  std::tm parts{};
  ::gmtime_r(&clock_seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
  std::array<char, 8> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03d", static_cast<int>(millis));
  return cat(text.data(), fraction.data());
}

void BuildLog::add_file(const std::string& path, Links links) {
  const int follow = links == Links::refuse ? O_NOFOLLOW : 0;
  files_.push_back(Fd::open(path, O_WRONLY | O_CREAT | O_APPEND | follow, 0644));
  struct stat known {};
  if (::fstat(files_.back().get(), &known) == 0 && S_ISREG(known.st_mode) && known.st_size > 0) {
    const std::string mark = cat("\n", utc_stamp(clock_.wall()), " | ", k_next_build, "\n");
    [[maybe_unused]] const ssize_t written = ::write(files_.back().get(), mark.data(), mark.size());
  }
  if (main_file_.empty()) main_file_ = path;
}

void BuildLog::line(std::string_view text) noexcept {
  try {
    const std::string kept = fit_to_show(text);
    const std::string stamped = cat(utc_stamp(clock_.wall()), " | ", kept, "\n");
    const auto put = [](int fd, std::string_view line) {
      [[maybe_unused]] const ssize_t written = ::write(fd, line.data(), line.size());
    };
    for (const Fd& file : files_) put(file.get(), stamped);
    if (echo_) put(STDOUT_FILENO, echo_stamped_ ? stamped : cat(kept, "\n"));
  } catch (...) {  // out of memory: the line is lost, the build goes on
  }
}

}  // namespace hearth::builder
