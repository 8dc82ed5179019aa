// The bodies of fetched answers, by digest: DIR/objects/ab/abcdef…. Shared by builds that run at the same time: an
// object gets its name by link(2) when it is complete, so two that make the same one don't meet. What is read is
// verified, once per store object: after a power cut, or an accident, a wrong object is a missing one.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/hash.hpp"
#include "base/path.hpp"
#include "base/sys/fd.hpp"

namespace hearth::builder::fetch {

/// An object being written; without name, so that nothing is left when it is not kept.
class IncomingObject {
 public:
  void write(std::string_view bytes);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// What was written so far. Throws Error.
  [[nodiscard]] std::string text() const;

 private:
  friend class ObjectStore;
  IncomingObject(Fd file, fs::path name) : file_(std::move(file)), name_(std::move(name)) {}
  Fd file_;
  fs::path name_;  ///< of the file, for errors
  Hasher hasher_{HashKind::sha256};
  std::uint64_t size_ = 0;
};

class ObjectStore {
 public:
  /// Creates the directory. Throws Error when it can't be written to.
  explicit ObjectStore(fs::path directory);

  [[nodiscard]] IncomingObject create() const;
  /// Gives the object its name. Returns its digest.
  std::string keep(IncomingObject object);
  /// An object open for reading; nothing when there is none, or when it isn't what its name says (it is then removed).
  [[nodiscard]] std::optional<Fd> open(const std::string& sha256, std::uint64_t size);
  /// Whether there is an object of that name and size; what is in it is not looked at.
  [[nodiscard]] bool has(const std::string& sha256, std::uint64_t size) const;
  /// Looks at the bytes anew. False when they are not what the name says; the object is then removed.
  [[nodiscard]] bool verify(const std::string& sha256, std::uint64_t size) const;
  void remove(const std::string& sha256) const;
  /// For a build: as long as it holds what it gets here, nobody can claim the store. Waits for whoever has.
  [[nodiscard]] Fd share() const;
  /// Keeps builds from beginning to use the store; nothing while one does.
  [[nodiscard]] std::optional<Fd> claim() const;
  [[nodiscard]] const fs::path& directory() const { return directory_; }
  [[nodiscard]] fs::path path_of(const std::string& sha256) const;

 private:
  [[nodiscard]] Fd use_file() const;
  [[nodiscard]] bool is_sound(const Fd& file, const std::string& sha256, std::uint64_t size);

  fs::path directory_;
  std::mutex mutex_;
  std::set<std::string> verified_;
};

}  // namespace hearth::builder::fetch
