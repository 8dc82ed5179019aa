// What a run of the command came to, told to the server that gave the metadata: why a deployment does not come to its
// end can then be seen where people look. It goes the way of the poll, by the same credentials. A server that does not
// take it (Heat's own) is asked once in the life of the process.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include "agent/collect/source.hpp"

namespace hearth::agent {

struct RunReport {
  enum class State { running, ended };
  State state = State::running;
  int status = 0;            ///< of an ended one, as a shell gives it
  std::int64_t seconds = 0;  ///< how long it has run
  std::string said;          ///< the end of what its programs wrote to stderr
};

/// The script that is running at the end of what dib-run-parts said; empty when none is.
[[nodiscard]] std::string open_step(const std::string& said);
/// {"state": "running" | "ok" | "failed", "status", "seconds", "step", "why", "lines"}: `why` is the last
/// line that a program wrote, `lines` are the last twenty. What looks like a secret is covered.
[[nodiscard]] Json report_json(const RunReport& report);

/// Sends by the first of cfn, request and heat that is configured and whose server did not refuse a report before.
class RunReporter {
 public:
  explicit RunReporter(const SourceContext& context) : context_(context) {}
  void send(const RunReport& report) noexcept;

 private:
  const SourceContext& context_;
  std::set<std::string_view> refused_;  ///< names of sources
};

/// Calls `act` in a thread of its own after some seconds, and then every five minutes, for as long as it lives.
class LongRunWatch {
 public:
  LongRunWatch(std::chrono::seconds first, std::function<void(std::int64_t seconds)> act);
  LongRunWatch(const LongRunWatch&) = delete;
  LongRunWatch& operator=(const LongRunWatch&) = delete;
  ~LongRunWatch();

 private:
  void watch(std::chrono::seconds first, const std::function<void(std::int64_t)>& act);
  std::mutex lock_;
  std::condition_variable changed_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace hearth::agent
