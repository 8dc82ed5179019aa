// What lossy_calls.cpp tells LossyDisk: one recording at a time, of the files below one directory.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hearth::fakes {

using NodeId = std::size_t;

/// A file or directory that lies, or lay, below the directory; 0 is the directory itself.
struct DiskNode {
  bool is_directory = false;
  std::string link;  ///< where a symbolic link leads
  mode_t mode = 0;
  std::string data;                     ///< when the recording began
  std::map<std::string, NodeId> names;  ///< likewise
};

struct NameChange {
  NodeId directory = 0;
  std::string name;
  std::optional<NodeId> node;  ///< nothing: the name is gone
};

enum class DiskAction { data, size, names, sync, sync_all, promise };

struct DiskOperation {
  DiskAction kind = DiskAction::data;
  NodeId node = 0;
  std::uint64_t offset = 0;  ///< of data; the new size
  std::string text;          ///< data, or what was promised
  std::vector<NameChange> changes;
};

struct DiskRecord {
  std::mutex mutex;
  std::vector<DiskNode> nodes;
  std::map<std::pair<dev_t, ino_t>, NodeId> known;
  std::vector<DiskOperation> operations;
  bool refuses_unnamed = false;
  bool refuses_syncs = false;
  std::optional<std::size_t> writes_left;  ///< of a disk that fills up
  bool was_full = false;

  struct Place {
    NodeId directory;
    std::string name;
  };
  /// Where a path lies, when that is below the directory.
  [[nodiscard]] std::optional<Place> place_of(int at, const char* path) const;
  [[nodiscard]] std::optional<NodeId> node_of(const struct stat& info) const;
  [[nodiscard]] std::optional<NodeId> node_at(int at, const char* path, bool follow) const;
  [[nodiscard]] std::optional<NodeId> node_of(int fd);
  NodeId add(const struct stat& info);
  /// Whether there is room for one more write or name; when there is none, errno says so.
  [[nodiscard]] bool has_room();
  void note(DiskOperation operation) { operations.push_back(std::move(operation)); }
  void note_names(std::vector<NameChange> changes) {
    note({.kind = DiskAction::names, .node = 0, .offset = 0, .text = {}, .changes = std::move(changes)});
  }
};

/// Null while nothing is recorded.
extern std::atomic<DiskRecord*> g_disk_record;
/// While there is a LossyDisk: nothing in it has to outlive a real cut, and a sync takes milliseconds.
extern std::atomic<bool> g_syncs_nothing;

}  // namespace hearth::fakes
