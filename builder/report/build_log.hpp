// The build log: every line that hooks print, stamped in UTC as diskimage-builder does ("2026-01-31 12:00:00.000 |
// text"). It goes to NAME.d/build.log, to --logfile, and to stdout where the whole log was asked for there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/process.hpp"

namespace hearth::builder {

/// "YYYY-mm-dd HH:MM:SS.mmm" in UTC.
[[nodiscard]] std::string utc_stamp(WallTime time);

/// What no log may have of a build's environment.
struct LogSecrets {
  std::vector<std::string> values;  ///< the longest first
  std::vector<std::string> shown;   ///< variables with a secret that can't be hidden
};

/// Values of variables that are named like a secret, line by line, and passwords in URLs. None is so short that it
/// stands in most logs anyway, none is a path. One that is a part of a name that a log is full of (`known`) is shown:
/// some project's password is the project's name.
[[nodiscard]] LogSecrets log_secrets(const Environment& environment, const std::vector<std::string>& known = {});

class BuildLog {
 public:
  explicit BuildLog(const Clock& clock) : clock_(clock) {}

  /// Has REDACTED in place of these (log_secrets()) in all further lines.
  void hide(std::vector<std::string> secrets) { secrets_ = std::move(secrets); }
  /// A line as it may be shown.
  [[nodiscard]] std::string fit_to_show(std::string_view line) const;

  enum class Links { follow, refuse };
  /// Appends to this file too, behind a mark where earlier builds wrote there; its directory must exist.
  void add_file(const std::string& path, Links links = Links::follow);
  /// Prints each line on stdout; `stamped` as in the files.
  void echo(bool stamped) {
    echo_ = true;
    echo_stamped_ = stamped;
  }
  /// One line. Write failures are ignored: a full log disk must not end a build that could finish.
  void line(std::string_view text) noexcept;

  /// The file named to the user when something fails; empty when there is none.
  [[nodiscard]] const std::string& main_file() const { return main_file_; }

 private:
  const Clock& clock_;
  std::vector<std::string> secrets_;
  std::vector<Fd> files_;
  std::string main_file_;
  bool echo_ = false;
  bool echo_stamped_ = true;
};

}  // namespace hearth::builder
