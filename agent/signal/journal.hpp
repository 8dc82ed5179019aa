// The state of every deployment's signal, one small file each (<deployed>/<id>.signal, JSON, 0600), so that none is
// ever lost: not by an outage, a crash of the agent or a reboot. A hook never runs again for it; only the signal is
// repeated.
//
//   running → pending → delivered | refused
//
// "running" names the process that runs the hook. When that process is gone, the hook's answer is signalled where it
// was kept, and else a failure. Whoever changes records holds the lock of deployed_lock().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/signal/delivery.hpp"
#include "base/log.hpp"
#include "base/sys/file.hpp"

namespace hearth::agent {

struct SignalRecord {
  enum class State { running, pending, delivered, refused };
  State state = State::pending;
  Json data;          ///< the signal's body; dropped once it is delivered
  Json deployment;    ///< only where there is no <id>.json to read it from
  std::string owner;  ///< of a running hook: see process_identity()
  int attempts = 0;
  std::int64_t next_attempt = 0;  ///< seconds since 1970
  std::string reason;             ///< of the last failure
};

[[nodiscard]] Json record_to_json(const SignalRecord& record);
/// Nothing when it is no record (a damaged file is treated as missing).
[[nodiscard]] std::optional<SignalRecord> record_from_json(const Json& json);

class SignalJournal {
 public:
  SignalJournal(FileSystem& files, fs::path deployed)
      : files_(files), deployed_(std::move(deployed)), aside_(fs::path("/run") / deployed_.relative_path()) {}

  [[nodiscard]] std::optional<SignalRecord> load(const std::string& id) const;
  void store(const std::string& id, const SignalRecord& record);
  /// Stores what became of a hook or an attempt. Where the disk takes nothing any more (full, read-only), a record that
  /// ends the matter goes: the one from before would have the signal sent again and again, or a failure in its place.
  /// What can't go either, and what is pending, is set aside in memory (/run) until the disk takes it.
  void settle(const std::string& id, const SignalRecord& record);
  void forget(const std::string& id);
  /// Removes <id>.json, for one that did not run: a kill came before it was gone.
  void unmark(const std::string& id);
  /// Takes what was set aside back to the disk.
  void recover();
  /// The ids of all records.
  [[nodiscard]] std::vector<std::string> ids() const;
  /// The deployment that a record is about: from the record, else from <id>.json.
  [[nodiscard]] std::optional<Json> deployment(const std::string& id, const SignalRecord& record) const;
  /// What the hook has answered, when that was kept (<id>.notify.json).
  [[nodiscard]] std::optional<Json> answer(const std::string& id) const;

 private:
  [[nodiscard]] std::optional<Json> json_in(const std::string& name) const;
  [[nodiscard]] bool is_forgotten(const std::string& id);
  /// Beside what is on the disk, whose place it takes.
  [[nodiscard]] fs::path aside(const std::string& id) const;

  FileSystem& files_;
  fs::path deployed_;
  fs::path aside_;
};

/// Notes the outcome of an attempt: delivered and refused end the matter, otherwise the next attempt is due after
/// 30 s, doubled each time up to an hour.
void record_delivery(SignalRecord& record, const DeliveryResult& result, std::int64_t now_seconds);

/// Whether a pending record's next attempt is due. One that lies further off than any pause was noted by a clock that
/// has been set back since: it is due.
[[nodiscard]] bool is_due(const SignalRecord& record, std::int64_t now_seconds);

/// Boot, process id and start time of a process, which no other process ever shares; empty when there is none.
[[nodiscard]] std::string process_identity(const FileReader& files, int pid);
[[nodiscard]] bool is_alive(const FileReader& files, const std::string& identity);

/// What is signalled for a hook whose outcome is lost.
[[nodiscard]] Json lost_hook_data();

}  // namespace hearth::agent
