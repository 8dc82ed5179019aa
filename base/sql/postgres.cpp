// PostgreSQL by libpq, in its text format. A connection that broke is made anew where that is safe: when a transaction
// begins, or for a statement outside of any. Nothing blocks: whoever waits may do something else meanwhile.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/sql/database.hpp"
#include "base/sql/libpq.hpp"
#include "base/sys/blocked_signals.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::sql::detail {

namespace {

/// Held as long as we are connected: no two processes drive one part of a database. Any number will do that others
/// don't use.
constexpr const char* k_lock_number = "7521846120734";
/// The wait is for the server to notice that a predecessor died; later it is for whoever locked a table, and forgot it.
constexpr const char* k_lock_patience = "5s";
/// Where others are served meanwhile, who asks is told to come again soon.
constexpr const char* k_lock_patience_beside = "1s";

/// Where others are served meanwhile, a connection is waited for as long; it goes on to be made, for who comes later.
constexpr auto k_patience_beside = std::chrono::seconds(1);

/// How a connection is used, whatever the database or the user has as a default. Texts come and go as they lie there;
/// what is committed is on a disk, and with a replica where one is waited for; a beat beside a transaction is no reason
/// to refuse that; nothing is ended for its time but by who waits for it.
constexpr const char* k_ways =
    "SELECT set_config('client_encoding', current_setting('server_encoding'), false); "
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', "
    "'local'); SELECT set_config('default_transaction_isolation', 'read committed', false); "
    "SELECT set_config(name, '0', false) FROM (VALUES ('statement_timeout'), ('idle_session_timeout'), "
    "('idle_in_transaction_session_timeout'), ('transaction_timeout')) AS limits (name) "
    "WHERE current_setting(name, true) IS NOT NULL";
/// Tables without a schema of their own are where they were made first: one that is named as the user, and was made
/// since, would be looked at before it.
constexpr const char* k_where_they_are =
    "SELECT set_config('search_path', quote_ident(nspname), false) FROM pg_class JOIN pg_namespace home ON home.oid = "
    "relnamespace WHERE pg_class.oid = to_regclass('hearth_epoch')";

/// What of a URL nobody is told.
std::string password_in(const std::string& url) {
  const std::unique_ptr<PQconninfoOption, ConninfoDeleter> options(libpq().conninfo_parse(url.c_str(), nullptr));
  std::string password;
  bool is_good = options != nullptr;
  for (const PQconninfoOption* at = options.get(); is_good && at->keyword != nullptr; ++at) {
    const std::string_view keyword = at->keyword;
    const std::string value = at->val == nullptr ? "" : at->val;
    if (keyword == "password") password = value;
    if (keyword == "port") is_good = value.find_first_not_of("0123456789,") == std::string::npos;
  }
  if (is_good) return password;
  throw Error(ErrorKind::usage, cat("the database ", without_password(url), " is no URL of PostgreSQL"))
      .hint(
          "postgresql://USER@HOST:PORT/NAME. In a password these are written otherwise: @ as %40, : as %3A, / as %2F, "
          "? as %3F, # as %23, % as %25; better is a file that only you read (~/.pgpass, or ?passfile=FILE).");
}

/// What to do where a server refuses a connection, by its words or the library's.
std::string next_after(std::string_view said) {
  const auto has = [said](std::string_view part) { return said.find(part) != std::string_view::npos; };
  if (has("no password supplied"))
    return "Its password stands in a file that only you read: ~/.pgpass, or ?passfile=FILE at the end of the URL.";
  if (has("password authentication failed"))
    return "User and password are those of the server: \\password in psql sets one; ~/.pgpass or ?passfile=FILE keeps "
           "it.";
  if (has("\" does not exist") && has("database \""))
    return "Is its name mistyped? createdb --encoding UTF8 --template template0 --owner USER NAME makes one.";
  if (has("pg_hba.conf"))
    return "Its pg_hba.conf says who may come, from where, and how; pg_ctl reload has it read anew.";
  if (has("too many clients") || has("connection slots"))
    return "Somebody else has all connections that it takes (max_connections): SELECT * FROM pg_stat_activity in psql "
           "says who.";
  if (has("Connection refused") || has("No such file or directory"))
    return "Does it run, and at that address and port? pg_lsclusters (Debian), ss -tlnp; listen_addresses in "
           "postgresql.conf says where.";
  if (has("name resolution"))
    return "Its name server says nothing (/etc/resolv.conf); an address in the place of the name asks nobody.";
  return "";
}

/// Of the lock on tables in the schema (empty: the public one), in SQL.
std::string lock_number(const std::string& schema) {
  return schema.empty() ? k_lock_number : cat("hashtextextended('", schema, "', ", k_lock_number, ")");
}

/// Of the connection that has that lock, which PostgreSQL shows as two halves; a condition may follow.
std::string of_driver(const char* what, const std::string& schema) {
  return cat("SELECT ", what,
             " FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND "
             "database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND "
             "((classid::bigint << 32) | objid::bigint) = ",
             lock_number(schema));
}
constexpr const char* k_end = "pg_terminate_backend(pid)";

/// Parameters as PostgreSQL numbers them: "?2" is "$2", "?" is the next one.
std::string numbered(std::string_view statement) {
  std::string out;
  int next = 1;
  bool quoted = false;
  for (std::size_t i = 0; i < statement.size(); ++i) {
    const char c = statement[i];
    quoted = quoted != (c == '\'');
    if (c != '?' || quoted) {
      out.push_back(c);
      continue;
    }
    const bool has_number = i + 1 < statement.size() && statement[i + 1] >= '0' && statement[i + 1] <= '9';
    out += has_number ? std::string("$") : cat("$", next++);
  }
  return out;
}

class PostgresConnection final : public Connection {
 public:
  PostgresConnection(const std::string& url, std::string schema, Use use)
      : url_(url), schema_(std::move(schema)), use_(use), password_(password_in(url)) {
    connect();
  }
  ~PostgresConnection() override { *is_given_up_ = true; }
  PostgresConnection(const PostgresConnection&) = delete;
  PostgresConnection& operator=(const PostgresConnection&) = delete;

  void meanwhile(std::function<void()> others) override {
    others_ = std::move(others);
    if (libpq().status(connection_.get()) == CONNECTION_OK) check(exec("SET lock_timeout = '1s'"), "SET lock_timeout");
  }

  void begin() override {
    const char* const begin = use_ == Use::look ? "BEGIN ISOLATION LEVEL REPEATABLE READ" : "BEGIN";
    if (libpq().status(connection_.get()) != CONNECTION_OK) connect();
    ResultPtr result = exec(begin);
    if (libpq().result_status(result.get()) !=
        PGRES_COMMAND_OK) {  // it broke since: nothing was begun, so nothing is lost
      connect();
      result = exec(begin);
      check(result, begin);
    }
    try {
      // The lock may have been taken from us without an end of the connection. Until this transaction ends nobody
      // raises the epoch.
      is_open_ = use_ == Use::look || stored_epoch("SELECT number FROM hearth_epoch FOR SHARE") == epoch_;
    } catch (const StoreError&) {
      connection_.reset();  // and with it what was begun
      throw;
    }
    if (is_open_) return;
    StoreError error = is_before_ours(stored_epoch()) ? of_before() : superseded(holder());
    connection_.reset();
    throw error;
  }

  void run(const std::string& statements) override {
    if (statements == "COMMIT" || statements == "ROLLBACK") is_open_ = false;  // whatever comes of it
    check(exec(statements.c_str(), statements.starts_with("VACUUM")), statements);
  }

  std::unique_ptr<StatementHandle> prepare(std::string_view statement) override;

  std::int64_t last_row() override {
    const ResultPtr result = exec("SELECT lastval()");
    check(result, "SELECT lastval()");
    return static_cast<std::int64_t>(std::stoll(libpq().getvalue(result.get(), 0, 0)));
  }

  [[nodiscard]] std::string epoch() const override { return epoch_; }

  std::optional<std::string> another() override {
    if (!another_.valid()) another_ = connecting();
    if (another_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return std::nullopt;
    const Connected made = another_.get();
    if (libpq().status(made.connection.get()) == CONNECTION_OK) return "";
    return made.refused.empty() ? silent(k_patience).what() : refusal(made.refused).story();
  }

  ResultPtr query(const std::string& statement, const std::vector<std::string>& values) {
    // What an earlier attempt to connect left is no connection: libpq knows of no transaction there, idle or not.
    if (!is_open_ && libpq().status(connection_.get()) != CONNECTION_OK) connect();
    ResultPtr result = attempt(statement, values);
    if (!is_open_ && libpq().status(connection_.get()) != CONNECTION_OK) {
      connect();
      result = attempt(statement, values);
    }
    check(result, statement);
    return result;
  }

 private:
  /// Whole, or not at all: what was set for one that failed may be otherwise by the next attempt.
  void connect() {
    open();
    libpq().set_notice_processor(
        connection_.get(), [](void*, const char*) {}, nullptr);
    try {
      check(exec(k_ways), "SELECT set_config");
      if (schema_.empty()) check(exec(k_where_they_are), "SELECT set_config");
      use_ == Use::drive ? take() : join();
      is_silent_ = false;
    } catch (const StoreError&) {
      connection_.reset();
      throw;
    }
  }

  /// Beside whoever drives it.
  void join() {
    const char* const ways = use_ == Use::look
                                 ? "SET default_transaction_read_only = on"
                                 : "SET lock_timeout = '1s'; SET default_transaction_isolation = 'read committed'";
    const std::string path = schema_.empty() ? "" : cat("; SET search_path = ", schema_);
    check(exec(cat(ways, path).c_str()), "SET search_path");
  }

  /// False where another connection has it.
  bool lock() {
    const ResultPtr taken = exec(cat("SET lock_timeout = '", others_ ? k_lock_patience_beside : k_lock_patience,
                                     "'; SELECT pg_advisory_lock(", lock_number(schema_), "), pg_backend_pid()")
                                     .c_str());
    if (libpq().status(connection_.get()) != CONNECTION_OK)
      throw StoreError(cat("connecting to ", without_password(url_), ": ", told()));
    if (!is_good(taken)) return false;
    backend_ = libpq().getvalue(taken.get(), 0, 1);
    return true;
  }

  /// The way to our former connection broke, and the server has not noticed: that may take it hours, and what was begun
  /// there is lost anyway.
  void end_former() {
    if (epoch_.empty() || !is_own(stored_epoch())) return;
    static_cast<void>(attempt(cat(of_driver(k_end, schema_), " AND pid = $1"), {backend_}));
  }

  void take() {
    bool is_ours = lock();
    require_utf8();
    if (!schema_.empty()) take_schema(is_ours);
    if (!is_ours && !backend_.empty()) {
      end_former();
      is_ours = lock();
    }
    if (is_ours) return take_epoch();
    const std::string who = holder();
    if (!epoch_.empty() && !is_own(stored_epoch())) throw superseded(who);
    StoreError error(
        cat(who == driver_name() ? "the former connection of this process" : who, " uses ", without_password(url_)));
    error.hint("One process at a time drives a database: stop that one, or name another database.");
    throw error;
  }

  /// SQL_ASCII is what PostgreSQL calls bytes that it leaves alone.
  void require_utf8() const {
    const char* const told = libpq().parameter_status(connection_.get(), "server_encoding");
    const std::string encoding = told == nullptr ? "" : told;
    if (encoding == "UTF8" || encoding == "SQL_ASCII") return;
    StoreError error(cat(without_password(url_), " keeps texts as ", encoding, ", which has not all characters"));
    error.hint(
        "Name one that was made by: createdb --encoding UTF8 --template template0. A state that lives in the former "
        "one goes there by hearth backup and hearth restore.");
    throw error;
  }

  /// Tables of its own, so that several parts share one database.
  void take_schema(bool is_ours) {
    const ResultPtr found = exec(cat("SELECT to_regnamespace('", schema_, "') IS NULL").c_str());
    check(found, "looking for the schema");
    if (is_ours && libpq().getvalue(found.get(), 0, 0) == std::string_view("t")) {
      const std::string make = cat("CREATE SCHEMA ", schema_);
      try {
        check(exec(make.c_str()), make);
      } catch (StoreError& error) {
        error.hint("Who owns the database may: createdb --owner USER, or ALTER DATABASE … OWNER TO USER.");
        throw;
      }
    }
    const std::string use = cat("SET search_path = ", schema_);
    check(exec(use.c_str()), use);
  }

  /// What the one who has it said of himself; an older Hearth says nothing.
  std::string holder() {
    const ResultPtr found = exec("SELECT to_jsonb(held) ->> 'holder' FROM hearth_epoch held");
    const bool is_told = is_good(found) && libpq().ntuples(found.get()) == 1;
    const std::string name = is_told ? one_line(libpq().getvalue(found.get(), 0, 0)) : "";
    return name.empty() ? "another process" : name;
  }

  void open() {
    connection_.reset();
    if (!coming_.valid()) coming_ = connecting();
    const bool is_known_to_be_silent = others_ && is_silent_;
    const Patience patience(is_known_to_be_silent ? k_look : others_ ? k_patience_beside : k_patience);
    while (coming_.wait_for(k_look) != std::future_status::ready) {
      if (patience.is_over()) throw silent(others_ ? k_patience_beside : k_patience);
      if (others_) others_();
    }
    Connected made = coming_.get();
    connection_ = std::move(made.connection);
    const ConnStatusType status = libpq().status(connection_.get());
    if (status == CONNECTION_OK && libpq().set_nonblocking(connection_.get(), 1) == 0) {
      if (const char* const password = libpq().pass(connection_.get()); password != nullptr && *password != '\0')
        password_ = password;
      return;
    }
    if (status != CONNECTION_OK && status != CONNECTION_BAD) throw silent(k_patience);
    throw refusal(made.refused);
  }

  [[nodiscard]] StoreError refusal(const std::string& said) const {
    StoreError error(cat("connecting to ", without_password(url_), ": ", as_line(said)));
    if (const std::string next = next_after(error.what()); !next.empty()) error.hint(next);
    return error;
  }

  /// On a thread of its own: nothing ends a look at a name server that says nothing. A password that stood in a file
  /// outlives the right to read it.
  std::future<Connected> connecting() {
    std::promise<Connected> promise;
    std::future<Connected> coming = promise.get_future();
    try {
      const BlockedSignals blocked;
      std::thread([url = url_, password = password_, given_up = is_given_up_, promise = std::move(promise)]() mutable {
        Connected made = connected(url, nullptr, *given_up);
        const PGconn* const refused = made.connection.get();
        const bool lacks = libpq().status(refused) == CONNECTION_BAD && libpq().needs_password(refused) == 1;
        promise.set_value(lacks && !password.empty() ? connected(url, password.c_str(), *given_up) : std::move(made));
      }).detach();
    } catch (const std::system_error& problem) {
      throw StoreError(cat("connecting to ", without_password(url_), ": starting a thread for it: ", problem.what()));
    }
    return coming;
  }

  [[nodiscard]] StoreError silent(std::chrono::seconds waited) {
    is_silent_ = true;
    return StoreError(cat(without_password(url_), " has not answered for ", waited.count(), " s"));
  }

  /// False where there is nothing to be done for the connection yet; others were looked after then.
  bool wait_for(int events, const Patience& patience) {
    ::pollfd ready{libpq().socket(connection_.get()), static_cast<short>(events), 0};
    const bool is_closed = ready.fd < 0;  // which it learns when it is asked
    if (is_closed || ::poll(&ready, 1, k_look_milliseconds) > 0) return true;
    if (patience.is_over()) {
      connection_.reset();  // and with it what was begun
      throw silent(k_patience);
    }
    try {
      if (others_) others_();
    } catch (...) {  // nobody waits for the answer any more
      connection_.reset();
      throw;
    }
    return false;
  }

  /// The last result of what was sent, or the first that is a failure. `takes_long`: it may say nothing for as long as
  /// it likes, where nobody is served meanwhile.
  ResultPtr result_of(int was_sent, bool takes_long = false) {
    ResultPtr last;
    if (was_sent == 0) return last;
    const bool has_end = others_ != nullptr || !takes_long;
    Patience patience(has_end);
    for (int left = libpq().flush(connection_.get()); left == 1; left = libpq().flush(connection_.get())) {
      if (!wait_for(POLLIN | POLLOUT, patience)) continue;
      if (libpq().consume_input(connection_.get()) == 0) break;
      patience = Patience(has_end);  // it takes something
    }
    for (;;) {
      while (libpq().is_busy(connection_.get()) == 1) {
        if (!wait_for(POLLIN, patience)) continue;
        if (libpq().consume_input(connection_.get()) == 0) break;
        patience = Patience(has_end);  // it has said something
      }
      ResultPtr next(libpq().get_result(connection_.get()));
      if (!next) return last;
      if (!last || is_good(last)) last = std::move(next);
    }
  }

  ResultPtr exec(const char* statements, bool takes_long = false) {
    return result_of(libpq().send_query(connection_.get(), statements), takes_long);
  }

  static bool is_good(const ResultPtr& result) {
    const ExecStatusType status = libpq().result_status(result.get());
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
  }

  [[nodiscard]] StoreError superseded(const std::string& who) const {
    StoreError error(cat(who, " has taken ", without_password(url_), " meanwhile"));
    error.supersede();
    return error;
  }

  /// Raised by whoever takes the database. When it is another one than ours after a reconnect, somebody drove the
  /// database meanwhile: what we know of it is old, and is to be read anew before anything is done with it.
  void take_epoch() {
    check(exec("CREATE TABLE IF NOT EXISTS hearth_epoch (one BOOLEAN PRIMARY KEY, number BIGINT, holder TEXT)"),
          "CREATE TABLE hearth_epoch");
    if (epoch_.empty())  // an older Hearth's has no such column
      check(exec("ALTER TABLE hearth_epoch ADD COLUMN IF NOT EXISTS holder TEXT"), "ALTER TABLE hearth_epoch");
    const std::string before = stored_epoch();
    const std::string who = holder();
    is_old_ = is_old_ || (!epoch_.empty() && !is_own(before));
    if (is_old_ && is_before_ours(before)) is_of_before_ = true;
    if (!epoch_.empty() && !is_old_) epoch_ = before;  // what is tried now may be lost, too
    tried_ = epoch_after(before);
    check(attempt("INSERT INTO hearth_epoch (one, number, holder) VALUES (TRUE, $2, $1) ON CONFLICT (one) DO "
                  "UPDATE SET number = $2, holder = $1",
                  {driver_name(), tried_}),
          "raising the epoch");
    epoch_ = tried_;
    if (!std::exchange(is_old_, false)) return;
    if (!std::exchange(is_of_before_, false)) throw superseded(who);
    throw of_before();
  }

  /// Whoever takes it raises the number: a lower one is of an older state of it.
  [[nodiscard]] bool is_before_ours(const std::string& epoch) const {
    return parse_number(epoch).value_or(0) < parse_number(epoch_).value_or(0);
  }
  [[nodiscard]] StoreError of_before() const {
    StoreError error(cat(without_password(url_), " went back to before this process took it"));
    error.be_of_before();
    return error;
  }

  /// One that nobody else tries: a connection that ends in the raise leaves us without an answer to it.
  [[nodiscard]] static std::string epoch_after(const std::string& before) {
    std::uint64_t step = 0;
    for (const char byte : random_bytes(4)) step = step * 256 + static_cast<unsigned char>(byte);
    return std::to_string(parse_number(before).value_or(0) + 1 + step);
  }

  [[nodiscard]] bool is_own(const std::string& epoch) const { return epoch == epoch_ || epoch == tried_; }

  std::string stored_epoch(const char* look = "SELECT number FROM hearth_epoch") {
    const ResultPtr found = exec(look);
    check(found, look);
    return libpq().ntuples(found.get()) == 1 ? libpq().getvalue(found.get(), 0, 0) : "none";
  }

  ResultPtr attempt(const std::string& statement, const std::vector<std::string>& values) {
    std::vector<const char*> texts;
    for (const std::string& value : values) texts.push_back(value.c_str());
    return result_of(libpq().send_query_params(connection_.get(), statement.c_str(), static_cast<int>(texts.size()),
                                               nullptr, texts.data(), nullptr, nullptr, 0));
  }

  void check(const ResultPtr& result, const std::string& statement) const {
    if (is_good(result)) return;
    throw StoreError(cat("running ", statement.substr(0, 200), " in ", without_password(url_), ": ", told()));
  }

  /// The library's last message as one line, without the password.
  [[nodiscard]] std::string told() const { return as_line(libpq().error_message(connection_.get())); }
  [[nodiscard]] std::string as_line(const std::string& said) const {
    const std::string text(trim(said));
    const std::string message = replace_all(replace_all(text, "\n\t", " "), "\n", "; ");
    return password_.empty() ? message : replace_all(message, password_, "***");
  }

  std::string url_;
  std::string schema_;
  Use use_;
  std::string password_;
  std::function<void()> others_;
  std::string epoch_;          ///< which taking of the database is ours; empty before the first
  std::string backend_;        ///< the server's process of our connection that had the lock last
  std::string tried_;          ///< the one that was raised last, which may have been lost on its way
  bool is_old_ = false;        ///< somebody drove the database meanwhile, and nobody was told yet
  bool is_of_before_ = false;  ///< nobody did: it is older than our taking it
  bool is_open_ = false;       ///< a transaction: what it did is lost with the connection
  ConnectionPtr connection_;
  std::future<Connected> coming_;   ///< the next one, as long as it is made
  std::future<Connected> another_;  ///< that is made only to see whether it can be
  std::shared_ptr<std::atomic<bool>> is_given_up_ = std::make_shared<std::atomic<bool>>(false);
  bool is_silent_ = false;  ///< nothing was heard for too long, and nothing since
};

/// Kept as text and sent whole each time, so that it outlives a connection.
class PostgresStatement final : public StatementHandle {
 public:
  PostgresStatement(PostgresConnection& connection, std::string statement)
      : connection_(connection), statement_(std::move(statement)) {}

  void bind(int index, std::string_view text) override {
    std::string& place = value(index) = std::string(text);
    std::replace(place.begin(), place.end(), '\0', '?');  // there are no such texts in PostgreSQL
  }
  void bind(int index, std::int64_t number) override { value(index) = std::to_string(number); }

  bool step() override {
    if (!result_) {
      result_ = connection_.query(statement_, values_);
      row_ = -1;
    }
    return ++row_ < libpq().ntuples(result_.get());
  }
  void reset() override {
    result_.reset();
    values_.clear();
  }
  [[nodiscard]] std::string text(int column) const override {
    return {libpq().getvalue(result_.get(), row_, column),
            static_cast<std::size_t>(libpq().getlength(result_.get(), row_, column))};
  }
  [[nodiscard]] std::int64_t number(int column) const override {
    const std::string digits = text(column);
    return digits.empty() ? 0 : static_cast<std::int64_t>(std::stoll(digits));
  }

 private:
  std::string& value(int index) {
    if (values_.size() < static_cast<std::size_t>(index)) values_.resize(static_cast<std::size_t>(index));
    return values_[static_cast<std::size_t>(index) - 1];
  }

  PostgresConnection& connection_;
  std::string statement_;
  std::vector<std::string> values_;
  ResultPtr result_;
  int row_ = -1;
};

std::unique_ptr<StatementHandle> PostgresConnection::prepare(std::string_view statement) {
  return std::make_unique<PostgresStatement>(*this, numbered(statement));
}

}  // namespace

std::unique_ptr<Connection> open_postgres(const std::string& url, const std::string& schema, Use use) {
  return std::make_unique<PostgresConnection>(url, schema, use);
}

}  // namespace hearth::sql::detail

namespace hearth::sql {

std::string driver_name() {
  std::string host(256, '\0');
  if (::gethostname(host.data(), host.size() - 1) != 0) host = "?";
  return cat("process ", ::getpid(), " on ", host.c_str());
}

bool is_driven(Database& database, const std::string& schema) {
  return database.prepare(detail::of_driver("1", schema)).step();
}

void end_driver(const std::string& url, const std::string& schema, const std::string& name) {
  Database database(url, schema, Use::look);
  if (!database.prepare("SELECT 1 WHERE to_regclass('hearth_epoch') IS NOT NULL").step()) return;
  sql::Statement end = database.prepare(
      cat(detail::of_driver(detail::k_end, schema), " AND EXISTS (SELECT 1 FROM hearth_epoch WHERE holder = ?1)"));
  end.bind(1, name).execute();
}

}  // namespace hearth::sql
