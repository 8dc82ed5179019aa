// Home: a database elsewhere (PostgreSQL) in which a conductor's state lives. The conductor works on a copy of its own
// (Store); what each transaction of that changed is written here by a thread, in order, many at a time. So nobody waits
// for a round trip but who is to be told that something is durable.
//
// Nothing is ever taken back: what can't be written waits until it can. Where another process has taken the database,
// it never will be, and is_lost() says so: nothing that was waiting was promised to anybody.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/sql/database.hpp"
#include "bootstrap/store/term.hpp"

namespace hearth::bootstrap {

/// An event as it is kept.
struct EventRow {
  std::int64_t id = 0;
  std::int64_t at = 0;
  std::string node, title, kind, text, detail;
};

/// What one transaction changed, or some that followed each other.
struct Change {
  using Rows = std::map<std::string, std::optional<std::string>>;  ///< by key; no text: the row is gone
  Rows nodes, documents, settings;                                 ///< sealed, as the copy has them
  Rows leases;                                                     ///< by address, in the home only
  std::vector<EventRow> events;
  std::int64_t forgotten = 0;          ///< events up to this one are
  std::optional<std::string> files{};  ///< what its holder has in files (site_files.hpp), as JSON
  bool leaves = false;                 ///< its holder serves no more: who waits may follow at once
  bool wipe = false;                   ///< what was there before is to be in no file of the database any more

  [[nodiscard]] bool is_empty() const;
  /// How many rows are written for it.
  [[nodiscard]] std::size_t size() const {
    return nodes.size() + documents.size() + settings.size() + leases.size() + events.size();
  }
  /// What has happened after it, too.
  void follow(Change later);
};

/// Who waits to follow whoever serves a database: standbys that are connected to it, by name.
[[nodiscard]] std::vector<std::string> waiting_seeds(sql::Database& database);

/// All rows of such tables, in parts; also of a file of Store's.
void read_rows(sql::Database& database, const std::function<void(Change)>& part);

constexpr const char* k_last_event = "last_event";  ///< a setting: ids of events go on behind it
constexpr const char* k_home_schema = "conductor";  ///< of a PostgreSQL database; stacks have the public one

/// The versions of its tables: from one to the next, and back. In the first nothing was kept of leases, in the second
/// nobody could follow whoever served.
constexpr std::int64_t k_home_version = 3;
constexpr std::int64_t k_version_with_leases = 2;
constexpr std::int64_t k_version_with_terms = 3;
/// Of the tables that a database has; 0 = there are none.
[[nodiscard]] std::int64_t home_version(sql::Database& database);
/// Throws Error where that is of a newer Hearth.
void check_home_version(const std::string& name, std::int64_t version);
/// Makes another version of them, all or nothing; 0 to k_home_version. Throws Error: they are of a newer one.
void migrate_home(sql::Database& database, const std::string& name, std::int64_t version);

/// The leases of whatever version, each as a line of pxe's journal.
[[nodiscard]] std::vector<std::string> home_leases(sql::Database& database);

enum class HomeState {
  any,   ///< tables are made where there are none
  known  ///< somebody has kept a state there: without tables it was emptied, or is another database
};

class Home {
 public:
  /// Takes the database for this process, and makes its tables. Throws Error: not reached, another process uses it, it
  /// is of a newer Hearth, what was known to be there is not.
  explicit Home(const std::string& url, HomeState expected = HomeState::any, const Claim& claim = {});
  /// `name` is for messages.
  /// `beside`: another connection to it, for LongWork.
  Home(sql::Database database, std::string name, HomeState expected = HomeState::any, const Claim& claim = {},
       std::optional<sql::Database> beside = {});
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;
  ~Home() { end(); }

  /// All that is kept, in parts; before start().
  void read(const std::function<void(Change)>& part);
  /// The leases that are kept, likewise.
  [[nodiscard]] std::vector<std::string> leases() { return home_leases(database_); }
  /// Before start(): a sign of life, for those who wait. One that is lost on its way may be so: what is written later
  /// tells. Throws StoreError where another process has taken the database.
  void sign_of_life();
  /// As long as it lives a thread keeps the term, whatever else is done with the database: for what may take longer
  /// than that. Where no term is kept it does nothing.
  class LongWork {
   public:
    explicit LongWork(Home& home);

   private:
    std::jthread thread_;
  };
  /// Begins to write. `news`: from the writing thread, when what is told below has changed.
  void start(std::function<void()> news = {});
  /// Writes no more; what waits yet gets some seconds.
  void end();

  /// Takes a change to be written; its number.
  std::uint64_t add(Change change);
  [[nodiscard]] std::uint64_t added() const;
  /// Up to which number all is durable.
  [[nodiscard]] std::uint64_t kept() const;
  /// Why nothing can be kept at this time; empty when all is well.
  [[nodiscard]] std::string trouble() const;
  [[nodiscard]] bool is_lost() const;
  /// Why: it lacks what it had confirmed, of which whoever starts next is to know.
  [[nodiscard]] bool went_back() const;
  /// Why nothing may be served at this time, be it only read: the term is over (term.hpp). From any thread.
  [[nodiscard]] std::string pause() const;
  /// Who else waits to follow, as it was looked at last. From any thread.
  [[nodiscard]] std::vector<std::string> waiting_seeds() const;
  [[nodiscard]] MonotonicTime term_end() const { return term_.until(); }
  /// Throws StoreError where there is trouble: nothing new is to be begun.
  void check() const;
  /// Until all is durable; false where that takes longer.
  [[nodiscard]] bool wait(std::chrono::milliseconds patience) const;
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Waiting {
    std::uint64_t number = 0;
    Change change;
  };
  void work(const std::stop_token& stop);
  void take(const Claim& claim);
  void beat();
  void take_batch();
  [[nodiscard]] std::int64_t raise_beat();
  void confirmed(std::int64_t beat, MonotonicTime asked);
  void beat_beside(const std::string& epoch, const std::stop_token& stop);
  /// Empty where it was written.
  [[nodiscard]] std::string attempt();
  void write_batch();
  [[nodiscard]] std::string failed(const sql::StoreError& error);
  void look_who_waits();
  void write(const Change& change);
  void tell_who_serves(const Change& change);
  void put(const char* table, const char* key, const char* text, const Change::Rows& rows);
  void add_events(const std::vector<EventRow>& events);
  void wipe();
  void progressed();

  std::string name_;
  sql::Database database_;
  std::optional<sql::Database> beside_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::deque<Waiting> waiting_;
  Waiting batch_;  ///< what is being written; number 0: nothing
  std::uint64_t added_ = 0;
  std::uint64_t kept_ = 0;
  std::string trouble_;
  std::vector<std::string> waiting_seeds_;
  bool is_lost_ = false;
  std::atomic<bool> went_back_ = false;
  bool gives_way_;
  std::atomic<bool> leaves_ = false;
  Term term_;
  std::function<void(MonotonicTime)> renewed_;
  std::atomic<std::int64_t> beat_ = -1;  ///< that was confirmed last
  bool is_writing_ = false;              ///< begun, and not ended
  Time heard_;                           ///< when the database answered last, or there was nothing to ask
  std::function<void()> news_;
  std::jthread thread_;  ///< ends before all that it uses
};

}  // namespace hearth::bootstrap
