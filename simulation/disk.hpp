// The disk of the conductor's host, in memory, as SQLite sees it (a VFS of its own, the default one while it lives). It
// fills up; and it can be cut off after any of its operations: then of what was not synced some sectors are there and
// others are not, as with a power cut, or all of it is, as with kill -9. What is done after the cut has never happened.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simulation/random.hpp"
#include "simulation/scheduler.hpp"

struct sqlite3_vfs;

namespace hearth::simulation {

class SimulatedDisk {
 public:
  SimulatedDisk(Scheduler& scheduler, Random random);
  SimulatedDisk(const SimulatedDisk&) = delete;
  SimulatedDisk& operator=(const SimulatedDisk&) = delete;
  ~SimulatedDisk();

  void fill(bool is_full) { is_full_ = is_full; }
  [[nodiscard]] bool is_full() const { return is_full_; }

  enum class Cut : std::uint8_t { process, power };
  /// It is cut off when so many more operations have been made.
  void cut_after(std::uint64_t operations, Cut cut);
  /// Whether that has happened.
  [[nodiscard]] bool is_cut() const { return is_cut_; }
  /// It is cut off now, where it was not before.
  void freeze();
  /// What is there when the host comes back. All files must be closed.
  void come_back();

  /// A file beside SQLite's: appends a line and syncs it. False when the disk is full.
  [[nodiscard]] bool append(const std::string& name, const std::string& text);
  /// In its place another one, by rename. False when the disk is full.
  [[nodiscard]] bool replace(const std::string& name, const std::string& text);
  [[nodiscard]] std::string contents(const std::string& name) const;

 private:
  friend struct DiskCalls;
  struct Operation {
    std::uint64_t at = 0;
    std::string bytes;
    bool is_size = false;  ///< the file is cut or filled up to `at`
  };
  struct File {
    std::string live;
    std::string durable;
    std::vector<Operation> pending;  ///< what distinguishes them
    std::vector<std::unique_ptr<std::string>> shared;
  };
  using Files = std::map<std::string, std::shared_ptr<File>>;
  void operated();
  [[nodiscard]] Files as_after(Cut cut);
  void write(File& file, std::uint64_t at, std::string_view bytes);
  void sync(File& file);

  Scheduler& scheduler_;
  Random random_;
  Files files_;
  Files left_;  ///< by the cut
  bool is_full_ = false;
  bool is_cut_ = false;
  bool is_armed_ = false;
  std::uint64_t left_operations_ = 0;
  Cut cut_ = Cut::process;
  std::unique_ptr<sqlite3_vfs> vfs_;
};

}  // namespace hearth::simulation
