// Standby: a seed that waits until nobody serves its database. It looks, and writes nothing; what it waits for is told
// once, and again when that changes.
#pragma once

#include <optional>
#include <string>

#include "base/log.hpp"
#include "base/path.hpp"
#include "base/sql/database.hpp"
#include "bootstrap/store/term.hpp"

namespace hearth::bootstrap {

/// Who serves a database, as it says itself.
struct Holder {
  std::int64_t beat = 0;
  std::string name;        ///< empty: nobody has yet
  std::int64_t since = 0;  ///< seconds since 1970
  bool gives_way = false;
  std::string files = "{}";  ///< site_files.hpp
  std::string driver;        ///< who has taken it last, and may not have come to say that he serves
};

class Standby {
 public:
  /// Throws Error where this can't follow anybody: the directory has a state of its own, or lives elsewhere.
  Standby(std::string url, fs::path directory, Logger& log);

  /// Waits until the database is to be taken: nobody has served it, or he is silent. Throws Error where this is not to
  /// follow: of a newer version, sealed with another key, gone back to before what was seen; and where the keys and
  /// tokens in its files are others than those of the one that serves when this begins to wait. Later that is told, as
  /// is an image that it lacks: following without it is better than not at all.
  [[nodiscard]] Claim wait();
  /// Whether another one served until now.
  [[nodiscard]] bool has_waited() const { return has_waited_; }
  /// It could not be taken: another one was faster, or it does not answer. Throws Error where it is served by one that
  /// gives no way.
  void was_refused(const sql::StoreError& error);

 private:
  void look();
  void check_key(const std::string& key) const;
  void check_files(MonotonicTime now);
  void check_way(MonotonicTime now);
  void tell(const std::string& status);
  void tell_of(const Holder& holder);

  std::string url_;
  std::string name_;
  fs::path directory_;
  Logger& log_;
  std::optional<sql::Database> database_;
  std::optional<Holder> holder_;  ///< as it was seen last; nothing: there are no such tables
  std::string key_;               ///< with which all there is sealed, as it was checked last
  Silence silence_;
  std::string driver_;             ///< of the silence
  MonotonicTime files_checked_{};  ///< when
  std::string files_fault_;        ///< as it was told last
  MonotonicTime way_checked_{};    ///< when
  std::string way_fault_;          ///< likewise
  /// Of the one who was silent, when he could not be followed: nothing else is told until there is another.
  std::optional<std::int64_t> refused_at_;
  bool has_waited_ = false;
  bool was_refused_ = false;  ///< since it took, or tried to, for somebody's silence
  std::string told_;
};

}  // namespace hearth::bootstrap
