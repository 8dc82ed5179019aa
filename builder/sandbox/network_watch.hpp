// Who uses the network while a step runs, whatever program it is: the kernel tells of each connect(), sendto() and
// sendmsg() before it happens (seccomp's user notification), and lets it go on. What came over the network without
// anybody noting it can't be asked for again, so such a step is not kept.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/path.hpp"
#include "base/sys/fd.hpp"

struct seccomp_notif;  // linux/seccomp.h

namespace hearth::builder {

class NetworkWatch {
 public:
  /// Watches this thread and all that it starts from now on. To be called as process 1 of the sandbox, before programs
  /// of others run.
  NetworkWatch();
  NetworkWatch(const NetworkWatch&) = delete;
  NetworkWatch& operator=(const NetworkWatch&) = delete;
  ~NetworkWatch();

  /// Who reached what since the last call: "curl reached 192.0.2.1:80". Not told: this process, DNS, apt's own methods
  /// (what apt takes its lists say), and programs with HEARTH_NOTED=1 in their environment, whose answers are noted.
  /// Where nothing can be watched, that.
  [[nodiscard]] std::vector<std::string> take();

 private:
  void serve();
  void look_at(const seccomp_notif& call);
  Fd listener_;
  Pipe stop_;
  std::string why_not_;
  std::mutex mutex_;
  std::set<std::string> found_;
  std::thread thread_;
};

/// "192.0.2.1:80" of a socket address as bytes; nothing for other families, DNS, and ports that reach nobody.
[[nodiscard]] std::string network_address(std::string_view address);

}  // namespace hearth::builder
