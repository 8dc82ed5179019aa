// Deputy: a copy of this process that does a part of a command's work with fewer rights than its user's, and is asked
// for it by messages.
#pragma once

#include <functional>
#include <optional>

#include "base/json.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/process_copy.hpp"

namespace hearth::bootstrap {

/// One end of a line between two processes.
class DeputyLine {
 public:
  explicit DeputyLine(Fd fd) : fd_(std::move(fd)) {}
  /// False where nobody is there any more.
  bool send(const Json& message);
  /// Waits for the next; nothing when the other has ended.
  [[nodiscard]] std::optional<Json> receive();
  /// For the copy, where becoming another user has undone it: SIGTERM once the process that it works for has ended.
  void end_with_other() const;

 private:
  Fd fd_;
  std::string read_;
};

class Deputy {
 public:
  /// `work` runs in the copy, which begins with this process's rights, and ends when `work` does. Of a process that has
  /// one thread only.
  explicit Deputy(const std::function<void(DeputyLine& asker)>& work);
  Deputy(const Deputy&) = delete;
  Deputy& operator=(const Deputy&) = delete;
  /// Hangs up, which ends it, and waits until it has ended.
  ~Deputy();

  void send(const Json& message) { line_->send(message); }
  /// Throws what the copy threw, and Error where it has ended without a word.
  [[nodiscard]] Json receive();
  /// SIGTERM.
  void stop() const;
  /// Until it has ended by itself.
  void wait() const;

 private:
  std::optional<DeputyLine> line_;
  std::optional<ProcessCopy> copy_;
};

/// For the copy: becomes who keeps `directory` (pxe::Rights), with no capability at all: its owner, and where nothing
/// is kept yet (`is_new`) whom `hearth node serve` would give it.
void become_keeper(const std::string& directory, bool is_new);

}  // namespace hearth::bootstrap
