// A relational database: SQLite in a file, or PostgreSQL by URL, behind one interface. An owned connection and prepared
// statements; one thread, one connection. What is committed survives the loss of power.
//
// Statements are written in what both understand: parameters as ? or ?1, ON CONFLICT … DO UPDATE, RETURNING.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace hearth::sql {

/// The database did not do what it was asked: it is full, busy or gone. What was not committed did not happen.
class StoreError : public Error {
 public:
  explicit StoreError(const std::string& message) : Error(ErrorKind::io, message) {}
  /// `answer`: what whoever asks over the network is told, who need not know where our files are.
  StoreError(const std::string& message, std::string answer)
      : Error(ErrorKind::io, message), answer_(std::move(answer)) {}
  /// Empty where there is no more to say than that it does not answer.
  [[nodiscard]] const std::string& answer() const { return answer_; }
  /// Somebody else has driven the database meanwhile: what is known of it is old.
  [[nodiscard]] bool is_superseded() const { return is_superseded_; }
  void supersede() { is_superseded_ = true; }
  /// It is so, for the database is one of before what it had confirmed: a replica that lacks the last, or a backup.
  [[nodiscard]] bool is_of_before() const { return is_of_before_; }
  void be_of_before() { is_superseded_ = is_of_before_ = true; }

 private:
  std::string answer_;
  bool is_superseded_ = false;
  bool is_of_before_ = false;
};

/// How a PostgreSQL database is opened.
enum class Use {
  drive,  ///< by this process alone
  look,   ///< only to read, also while another process drives it; a transaction sees one state of it
  beside  ///< of PostgreSQL, by the process that drives it on another connection: it looks at the epoch itself
};

namespace detail {

/// One prepared statement of a kind of database.
class StatementHandle {
 public:
  virtual ~StatementHandle() = default;
  virtual void bind(int index, std::string_view text) = 0;
  virtual void bind(int index, std::int64_t number) = 0;
  virtual bool step() = 0;
  virtual void reset() = 0;
  [[nodiscard]] virtual std::string text(int column) const = 0;
  [[nodiscard]] virtual std::int64_t number(int column) const = 0;
};

class Connection {
 public:
  virtual ~Connection() = default;
  /// See Database::meanwhile().
  virtual void meanwhile(std::function<void()> others) { (void)others; }
  virtual void begin() = 0;
  /// Throws StoreError where what is written now would not be found again; begin() does so, too.
  virtual void look() {}
  virtual void run(const std::string& statements) = 0;
  [[nodiscard]] virtual std::unique_ptr<StatementHandle> prepare(std::string_view statement) = 0;
  [[nodiscard]] virtual std::int64_t last_row() = 0;
  /// See Database::another().
  [[nodiscard]] virtual std::optional<std::string> another() { return std::nullopt; }
  /// See Database::epoch().
  [[nodiscard]] virtual std::string epoch() const { return ""; }
};

[[nodiscard]] std::unique_ptr<Connection> open_sqlite(const std::string& path);
[[nodiscard]] std::unique_ptr<Connection> open_postgres(const std::string& url, const std::string& schema = "",
                                                        Use use = Use::drive);

}  // namespace detail

class Statement {
 public:
  explicit Statement(std::unique_ptr<detail::StatementHandle> handle) : handle_(std::move(handle)) {}

  /// Parameters count from 1.
  Statement& bind(int index, std::string_view text);
  Statement& bind(int index, std::int64_t number);
  /// True while there is a row. Throws Error.
  bool step() { return handle_->step(); }
  /// Runs to the end and makes it ready for the next bind.
  void execute();
  void reset() { handle_->reset(); }

  /// Columns count from 0.
  [[nodiscard]] std::string text(int column) const { return handle_->text(column); }
  [[nodiscard]] std::int64_t number(int column) const { return handle_->number(column); }

 private:
  std::unique_ptr<detail::StatementHandle> handle_;
};

class Database {
 public:
  /// "postgresql://USER@HOST/NAME" (or postgres://), else a file that is opened or created with mode 0600; ":memory:"
  /// for tests. Throws Error naming it, without the password. A PostgreSQL database is taken for this process alone;
  /// with `schema` (lower-case letters), only the tables in that, which is made where it is not there.
  explicit Database(const std::string& place, const std::string& schema = "", Use use = Use::drive);
  /// With a connection that was made otherwise, as tests do to let it fail.
  Database(std::unique_ptr<detail::Connection> connection, bool is_postgres)
      : is_postgres_(is_postgres), connection_(std::move(connection)) {}

  /// `others` is called every some milliseconds while an answer is waited for, on the thread that waits; it may not use
  /// this database. From now on less is waited for: a second for somebody's lock and for a connection, ten for an
  /// answer; once that did not come, for nothing until there is a connection.
  void meanwhile(std::function<void()> others) { connection_->meanwhile(std::move(others)); }
  /// Any number of statements without results.
  void run(const std::string& statements) { connection_->run(statements); }
  [[nodiscard]] Statement prepare(std::string_view statement);
  /// Throws StoreError where what is written now would not be found again: the file was removed or replaced under us. A
  /// transaction asks by itself.
  void check() { connection_->look(); }
  /// Whether another connection would be made at this time, as for who comes anew after its password was changed: empty
  /// where it would, else why not; nothing while that is not known, and is asked for. Waits for nothing.
  [[nodiscard]] std::optional<std::string> another() { return connection_->another(); }
  /// Of the last INSERT, where the table has such a number.
  [[nodiscard]] std::int64_t last_row() const { return connection_->last_row(); }
  [[nodiscard]] bool is_postgres() const { return is_postgres_; }
  /// Of PostgreSQL: as long as `number` in the table hearth_epoch is this, nobody has taken the database since. Who
  /// locks that row with it keeps others from taking it until his transaction ends.
  [[nodiscard]] std::string epoch() const { return connection_->epoch(); }
  /// The type of a column that numbers its rows: it is different in each.
  [[nodiscard]] std::string_view row_number_type() const;

 private:
  friend class Transaction;
  bool is_postgres_;
  std::unique_ptr<detail::Connection> connection_;
};

[[nodiscard]] bool is_postgres_url(std::string_view place);
/// What a refusal calls this process: "process 4711 on seed-1".
[[nodiscard]] std::string driver_name();
/// Whether a process drives the part `schema` of a database of PostgreSQL: it is connected, and alone.
[[nodiscard]] bool is_driven(Database& database, const std::string& schema);
/// Ends the connections of the process of that name, which drives the part `schema` of the database, in the server:
/// what it has not committed there it never will, and the next one may take the database. Throws StoreError.
void end_driver(const std::string& url, const std::string& schema, const std::string& name);
/// "postgresql://u:secret@h/d" → "postgresql://u:***@h/d"; likewise a password behind "?". All else as it is.
[[nodiscard]] std::string without_password(const std::string& place);

/// A transaction that is rolled back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.connection_->begin(); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace hearth::sql
