#include "tests/fakes/lossy_disk.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/filesystem/directory.hpp>
#include <random>
#include <set>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/disk_record.hpp"

namespace hearth::fakes {

namespace {

constexpr std::size_t k_sector = 512;
/// More operations than this are not cut at each write, but around all else and at so many of the writes.
constexpr std::size_t k_many = 300;
constexpr std::size_t k_some = 40;

struct Policy {
  const char* name;
  unsigned seed;
};
constexpr Policy k_policies[] = {{"synced", 0}, {"names", 0}, {"data", 0}, {"written", 0},
                                 {"torn", 1},   {"torn", 2},  {"torn", 3}};

/// What is on the disk at some time.
using State = std::vector<DiskNode>;

void put(std::string& file, std::uint64_t offset, std::string_view bytes) {
  if (file.size() < offset + bytes.size()) file.resize(offset + bytes.size());
  file.replace(offset, bytes.size(), bytes);
}

/// Some sectors of a write arrive, others don't; the file is as long as if all had, or not.
void put_torn(std::string& file, const DiskOperation& write, std::mt19937& random) {
  if (random() % 2 == 0 && file.size() < write.offset + write.text.size()) {
    file.resize(write.offset + write.text.size());
  }
  std::size_t at = 0;
  while (at < write.text.size()) {
    const std::size_t size = std::min(k_sector - (write.offset + at) % k_sector, write.text.size() - at);
    if (random() % 2 == 0) put(file, write.offset + at, std::string_view(write.text).substr(at, size));
    at += size;
  }
}

void change_names(State& state, const DiskOperation& operation) {
  for (const NameChange& change : operation.changes) {
    auto& names = state[change.directory].names;
    names.erase(change.name);
    if (change.node) names[change.name] = *change.node;
  }
}

/// For each operation the first one that makes it durable, or their number.
std::vector<std::size_t> durable_by(const std::vector<DiskOperation>& operations) {
  std::vector<std::size_t> by(operations.size(), operations.size());
  const auto settle = [&](std::size_t before, std::size_t sync, const auto& concerns) {
    for (std::size_t i = 0; i < before; ++i) {
      if (by[i] == operations.size() && concerns(operations[i])) by[i] = sync;
    }
  };
  const auto names_directory = [](const DiskOperation& change, NodeId directory) {
    return std::any_of(change.changes.begin(), change.changes.end(),
                       [&](const NameChange& one) { return one.directory == directory; });
  };
  for (std::size_t at = 0; at < operations.size(); ++at) {
    const DiskOperation& sync = operations[at];
    if (sync.kind == DiskAction::sync_all) settle(at, at, [](const DiskOperation&) { return true; });
    if (sync.kind != DiskAction::sync) continue;
    settle(at, at, [&](const DiskOperation& one) {
      return one.kind == DiskAction::names ? names_directory(one, sync.node) : one.node == sync.node;
    });
  }
  return by;
}

std::string description(const DiskOperation& operation) {
  switch (operation.kind) {
    case DiskAction::data: return cat("a write of ", operation.text.size(), " bytes");
    case DiskAction::size: return cat("a new size, ", operation.offset);
    case DiskAction::names: return cat("a change of ", operation.changes.back().name);
    case DiskAction::sync: return "a sync";
    case DiskAction::sync_all: return "a sync of all";
    case DiskAction::promise: return cat("the promise ", operation.text);
  }
  return "";
}

std::string digest_of(const State& state, NodeId node) {
  const DiskNode& one = state[node];
  std::string text = cat(one.mode, " ", one.link, " ", one.is_directory ? "" : hex_digest(HashKind::sha256, one.data));
  for (const auto& [name, child] : one.names) text += cat("\n", name, " ", child, " ", digest_of(state, child));
  return hex_digest(HashKind::sha256, text);
}

void lay_down(const State& state, NodeId node, const fs::path& path, std::map<NodeId, fs::path>& laid) {
  const DiskNode& one = state[node];
  if (one.is_directory) {
    if (node != 0) fs::create_directory(path);
    for (const auto& [name, child] : one.names) lay_down(state, child, path / name, laid);
    if (node != 0) ::chmod(path.c_str(), one.mode & 07777U);
  } else if (!one.link.empty()) {
    fs::create_symlink(one.link, path);
  } else if (const auto [known, is_new] = laid.emplace(node, path); !is_new) {
    fs::create_hard_link(known->second, path);
  } else {
    const Fd file = Fd::open(path.string(), O_WRONLY | O_CREAT | O_EXCL, 0600);
    write_all(file, one.data, path.string());
    ::fchmod(file.get(), one.mode & 07777U);
  }
}

}  // namespace

std::optional<NodeId> DiskRecord::node_of(const struct stat& info) const {
  const auto found = known.find({info.st_dev, info.st_ino});
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

std::optional<NodeId> DiskRecord::node_at(int at, const char* path, bool follow) const {
  struct stat info {};
  if (::fstatat(at, path, &info, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return node_of(info);
}

std::optional<NodeId> DiskRecord::node_of(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return std::nullopt;
  const std::optional<NodeId> node = node_of(info);
  if (node) nodes[*node].mode = info.st_mode;
  return node;
}

std::optional<DiskRecord::Place> DiskRecord::place_of(int at, const char* path) const {
  std::string text = path;
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  const std::size_t slash = text.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : text.substr(0, slash + 1);
  const std::optional<NodeId> node = node_at(at, directory.c_str(), true);
  if (!node || !nodes[*node].is_directory) return std::nullopt;
  return Place{*node, slash == std::string::npos ? text : text.substr(slash + 1)};
}

bool DiskRecord::has_room() {
  if (!writes_left) return true;
  if (*writes_left > 0) {
    --*writes_left;
    return true;
  }
  was_full = true;
  errno = ENOSPC;
  return false;
}

NodeId DiskRecord::add(const struct stat& info) {
  DiskNode node;
  node.is_directory = S_ISDIR(info.st_mode);
  node.mode = info.st_mode;
  nodes.push_back(std::move(node));
  known[{info.st_dev, info.st_ino}] = nodes.size() - 1;
  return nodes.size() - 1;
}

struct LossyDisk::Recording {
  explicit Recording(fs::path directory) : root(std::move(directory)) { scan(root); }

  /// What is there at the beginning, and what it is called.
  NodeId scan(const fs::path& path) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) throw Error::from_errno("looking at", path.string());
    if (const auto node = record.node_of(info)) return *node;
    const NodeId node = record.add(info);
    if (S_ISLNK(info.st_mode)) record.nodes[node].link = fs::read_symlink(path).string();
    if (S_ISREG(info.st_mode)) record.nodes[node].data = read_file(path);
    if (!S_ISDIR(info.st_mode)) return node;
    for (const std::string& name : RealFileSystem().list(path)) {
      const NodeId child = scan(path / name);
      record.nodes[node].names[name] = child;
    }
    return node;
  }

  void stop() { g_disk_record.store(nullptr); }

  /// A directory is as durable as what was synced in it: the names on the way to it are.
  void carry_directories(std::vector<std::size_t>& durable) const {
    const auto& operations = record.operations;
    for (std::size_t i = operations.size(); i-- > 0;) {
      const DiskOperation& made = operations[i];
      const bool is_new_directory = made.kind == DiskAction::names && made.changes.size() == 1 &&
                                    made.changes[0].node && record.nodes[*made.changes[0].node].is_directory;
      if (!is_new_directory) continue;
      for (std::size_t inside = i + 1; inside < operations.size(); ++inside) {
        const auto& changes = operations[inside].changes;
        const bool is_inside = std::any_of(changes.begin(), changes.end(), [&](const NameChange& change) {
          return change.directory == *made.changes[0].node;
        });
        if (is_inside) durable[i] = std::min(durable[i], durable[inside]);
      }
    }
  }

  /// The disk after a cut behind `end` operations.
  [[nodiscard]] State state_after(std::size_t end, const Policy& policy,
                                  const std::vector<std::size_t>& durable) const {
    State state = record.nodes;
    std::mt19937 random(policy.seed * 7919 + static_cast<unsigned>(end));
    const std::string_view kept = policy.name;
    const bool torn = kept == "torn";
    const std::size_t names_until = kept == "names" || kept == "written" ? end
                                    : torn && end > 0                    ? random() % (end + 1)
                                                                         : 0;
    const bool keeps_data = kept == "data" || kept == "written";
    for (std::size_t i = 0; i < end; ++i) {
      const DiskOperation& one = record.operations[i];
      const bool is_durable = durable[i] < end;
      if (one.kind == DiskAction::names && (is_durable || i < names_until)) change_names(state, one);
      if (one.kind == DiskAction::size && (is_durable || keeps_data || (torn && random() % 2 == 0))) {
        state[one.node].data.resize(one.offset);
      }
      if (one.kind != DiskAction::data) continue;
      if (is_durable || keeps_data) {
        put(state[one.node].data, one.offset, one.text);
      } else if (torn) {
        put_torn(state[one.node].data, one, random);
      }
    }
    return state;
  }

  [[nodiscard]] bool is_worth_a_cut(std::size_t end) const {
    const auto& operations = record.operations;
    if (operations.size() <= k_many || end == 0 || end == operations.size()) return true;
    return operations[end - 1].kind != DiskAction::data || operations[end].kind != DiskAction::data ||
           end % (operations.size() / k_some) == 0;
  }

  void become(const State& state) const {
    for (const std::string& name : RealFileSystem().list(root)) fs::remove_all(root / name);
    std::map<NodeId, fs::path> laid;
    lay_down(state, 0, root, laid);
  }

  [[nodiscard]] Cut cut_at(std::size_t end, const Policy& policy) const {
    Cut cut;
    const std::size_t count = record.operations.size();
    cut.where = cat("after operation ", end, " of ", count, ", ",
                    end == 0 ? "at the beginning" : description(record.operations[end - 1]), "; ", policy.name, " ",
                    policy.seed);
    for (std::size_t i = 0; i < end; ++i) {
      if (record.operations[i].kind == DiskAction::promise) cut.promised.push_back(record.operations[i].text);
    }
    return cut;
  }

  fs::path root;
  DiskRecord record;
};

LossyDisk::LossyDisk(const fs::path& directory) : recording_(std::make_unique<Recording>(directory)) {
  DiskRecord* none = nullptr;
  if (!g_disk_record.compare_exchange_strong(none, &recording_->record)) {
    throw Error(ErrorKind::input, "a disk is recorded already");
  }
  g_syncs_nothing.store(true);
}

LossyDisk::~LossyDisk() {
  recording_->stop();
  g_syncs_nothing.store(false);
}

void LossyDisk::refuse_unnamed_files() { recording_->record.refuses_unnamed = true; }

void LossyDisk::refuse_syncs() { recording_->record.refuses_syncs = true; }

void LossyDisk::fill_after(std::size_t writes) { recording_->record.writes_left = writes; }

bool LossyDisk::was_full() const { return recording_->record.was_full; }

void LossyDisk::promise(std::string what) {
  const std::lock_guard lock(recording_->record.mutex);
  recording_->record.note(
      {.kind = DiskAction::promise, .node = 0, .offset = 0, .text = std::move(what), .changes = {}});
}

std::size_t LossyDisk::cut_everywhere(const std::function<void(const Cut&)>& look) {
  recording_->stop();
  const Recording& recording = *recording_;
  std::vector<std::size_t> durable = durable_by(recording.record.operations);
  recording.carry_directories(durable);
  std::set<std::string> seen;
  for (std::size_t end = 0; end <= recording.record.operations.size(); ++end) {
    if (!recording.is_worth_a_cut(end)) continue;
    for (const Policy& policy : k_policies) {
      const State state = recording.state_after(end, policy, durable);
      const Cut cut = recording.cut_at(end, policy);
      if (!seen.insert(cat(cut.promised.size(), " ", digest_of(state, 0))).second) continue;
      recording.become(state);
      SCOPED_TRACE(cut.where);
      try {
        look(cut);
      } catch (const Error& error) {
        ADD_FAILURE() << error.story();
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
      if (testing::Test::HasFailure()) return seen.size();
    }
  }
  return seen.size();
}

}  // namespace hearth::fakes
