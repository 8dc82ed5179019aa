// What a step does that no file of ours tells, whatever program does it: the kernel tells of each connect(), sendto()
// and sendmsg(), and of each opening of a file to be read, before it happens (seccomp's user notification), and lets it
// go on. What came over the network without anybody noting it can't be asked for again, so such a step is not kept; the
// machine's files that it read are inputs, however it found their paths.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/path.hpp"
#include "base/sys/fd.hpp"

struct seccomp_notif;  // linux/seccomp.h

namespace hearth::builder {

class StepWatch {
 public:
  enum class Network { watched, not_watched };
  /// A directory, and where what hooks write to it lies: that is theirs, and no input.
  using Copy = std::pair<fs::path, fs::path>;

  /// To be made as process 1 of the sandbox, by a thread that is not watched.
  explicit StepWatch(Network network, std::vector<Copy> copies = {});
  StepWatch(const StepWatch&) = delete;
  StepWatch& operator=(const StepWatch&) = delete;
  ~StepWatch();

  /// Whether what is opened is to be told, too, of programs that are started from now on. It costs some microseconds
  /// for each file.
  void watch_reads(bool wanted) { watches_reads_ = wanted; }
  /// Watches this thread and all that it starts from now on.
  void watch_this_thread();

  /// Who reached what since the last call: "curl reached 192.0.2.1:80". Not told: this process, DNS, apt's own methods
  /// (what apt takes its lists say), and programs with HEARTH_NOTED=1 in their environment, whose answers are noted.
  /// Where nothing can be watched, that.
  [[nodiscard]] std::vector<std::string> take();
  /// Files and directories of the machine that were opened to be read since the last call, as paths without "..", but
  /// for the operating system's own (/usr, /etc …). Not told: what is not there, and what programs opened that have
  /// another root.
  [[nodiscard]] std::set<std::string> take_reads();

 private:
  void serve();
  void answer(const Fd& listener);
  void look_at(const seccomp_notif& call);
  void look_at_opening(const seccomp_notif& call);

  Network network_;
  std::vector<Copy> copies_;
  bool watches_reads_ = false;
  Pipe news_;  ///< a listener more; its end stops the thread
  std::mutex mutex_;
  std::vector<Fd> new_listeners_;
  std::string why_not_;
  std::set<std::string> found_;
  std::set<std::string> reads_;
  std::thread thread_;
};

/// "192.0.2.1:80" of a socket address as bytes; nothing for other families, DNS, and ports that reach nobody.
[[nodiscard]] std::string network_address(std::string_view address);

}  // namespace hearth::builder
