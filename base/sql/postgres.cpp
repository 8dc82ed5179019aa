// PostgreSQL by libpq, in its text format. A connection that broke is made anew where that is safe: when a transaction
// begins, or for a statement outside of any. Nothing blocks: whoever waits may do something else meanwhile.
#include <dlfcn.h>
#include <libpq-fe.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/sql/database.hpp"
#include "base/text.hpp"

namespace hearth::sql::detail {

namespace {

/// libpq's functions without their prefix, loaded when there is a database to connect to: most commands never have one,
/// and loading what libpq loads in turn (LDAP, Kerberos, TLS) would be half of the time that each takes to start.
struct Libpq {
  decltype(&::PQclear) clear;
  decltype(&::PQconnectPoll) connect_poll;
  decltype(&::PQconnectStart) connect_start;
  decltype(&::PQconninfoFree) conninfo_free;
  decltype(&::PQconninfoParse) conninfo_parse;
  decltype(&::PQconsumeInput) consume_input;
  decltype(&::PQerrorMessage) error_message;
  decltype(&::PQfinish) finish;
  decltype(&::PQflush) flush;
  decltype(&::PQgetResult) get_result;
  decltype(&::PQgetlength) getlength;
  decltype(&::PQgetvalue) getvalue;
  decltype(&::PQisBusy) is_busy;
  decltype(&::PQntuples) ntuples;
  decltype(&::PQresultStatus) result_status;
  decltype(&::PQsendQuery) send_query;
  decltype(&::PQsendQueryParams) send_query_params;
  decltype(&::PQsetNoticeProcessor) set_notice_processor;
  decltype(&::PQsetnonblocking) set_nonblocking;
  decltype(&::PQsocket) socket;
  decltype(&::PQstatus) status;
};

template <class Function>
void resolve_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) throw StoreError(cat("the installed libpq is too old: it has no ", name));
}

const Libpq& libpq() {
  static const Libpq loaded = [] {
    void* const library = ::dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);  // stays
    if (library == nullptr)
      throw StoreError(cat("PostgreSQL's library can't be loaded (Debian's package libpq5): ", ::dlerror()));
    Libpq functions{};
    resolve_function(library, "PQclear", functions.clear);
    resolve_function(library, "PQconnectPoll", functions.connect_poll);
    resolve_function(library, "PQconnectStart", functions.connect_start);
    resolve_function(library, "PQconninfoFree", functions.conninfo_free);
    resolve_function(library, "PQconninfoParse", functions.conninfo_parse);
    resolve_function(library, "PQconsumeInput", functions.consume_input);
    resolve_function(library, "PQerrorMessage", functions.error_message);
    resolve_function(library, "PQfinish", functions.finish);
    resolve_function(library, "PQflush", functions.flush);
    resolve_function(library, "PQgetResult", functions.get_result);
    resolve_function(library, "PQgetlength", functions.getlength);
    resolve_function(library, "PQgetvalue", functions.getvalue);
    resolve_function(library, "PQisBusy", functions.is_busy);
    resolve_function(library, "PQntuples", functions.ntuples);
    resolve_function(library, "PQresultStatus", functions.result_status);
    resolve_function(library, "PQsendQuery", functions.send_query);
    resolve_function(library, "PQsendQueryParams", functions.send_query_params);
    resolve_function(library, "PQsetNoticeProcessor", functions.set_notice_processor);
    resolve_function(library, "PQsetnonblocking", functions.set_nonblocking);
    resolve_function(library, "PQsocket", functions.socket);
    resolve_function(library, "PQstatus", functions.status);
    return functions;
  }();
  return loaded;
}

/// Held as long as we are connected: no two processes drive one part of a database. Any number will do that others
/// don't use.
constexpr const char* k_lock_number = "7521846120734";
/// The wait is for the server to notice that a predecessor died; later it is for whoever locked a table, and forgot it.
constexpr const char* k_lock_patience = "5s";
/// Where others are served meanwhile, who asks is told to come again soon.
constexpr const char* k_lock_patience_beside = "1s";

constexpr int k_look_milliseconds = 2;  ///< between two calls of what is done meanwhile
/// A server that says nothing for as long is none, but for what wipes a large database before anybody is served.
constexpr auto k_patience = std::chrono::seconds(10);

struct ResultDeleter {
  void operator()(PGresult* result) const { libpq().clear(result); }
};
using ResultPtr = std::unique_ptr<PGresult, ResultDeleter>;

struct ConnectionDeleter {
  void operator()(PGconn* connection) const { libpq().finish(connection); }
};

struct ConninfoDeleter {
  void operator()(PQconninfoOption* options) const { libpq().conninfo_free(options); }
};

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

/// Who we are, for those whom we keep out.
std::string own_name() {
  std::string host(256, '\0');
  if (::gethostname(host.data(), host.size() - 1) != 0) host = "?";
  return cat("process ", ::getpid(), " on ", host.c_str());
}

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
      : url_(url), schema_(std::move(schema)), is_only_looked_at_(use == Use::look), password_(password_in(url)) {
    connect();
  }

  void meanwhile(std::function<void()> others) override {
    others_ = std::move(others);
    if (libpq().status(connection_.get()) == CONNECTION_OK) check(exec("SET lock_timeout = '1s'"), "SET lock_timeout");
  }

  void begin() override {
    const char* const begin = is_only_looked_at_ ? "BEGIN ISOLATION LEVEL REPEATABLE READ" : "BEGIN";
    if (libpq().status(connection_.get()) != CONNECTION_OK) connect();
    ResultPtr result = exec(begin);
    if (libpq().result_status(result.get()) !=
        PGRES_COMMAND_OK) {  // it broke since: nothing was begun, so nothing is lost
      connect();
      result = exec(begin);
      check(result, begin);
    }
    try {
      // The lock may have been taken from us without an end of the connection.
      is_open_ = is_only_looked_at_ || stored_epoch() == epoch_;
    } catch (const StoreError&) {
      connection_.reset();  // and with it what was begun
      throw;
    }
    if (is_open_) return;
    StoreError error = superseded(holder());
    connection_.reset();
    throw error;
  }

  void run(const std::string& statements) override {
    if (statements == "COMMIT" || statements == "ROLLBACK") is_open_ = false;  // whatever comes of it
    check(exec(statements.c_str()), statements);
  }

  std::unique_ptr<StatementHandle> prepare(std::string_view statement) override;

  std::int64_t last_row() override {
    const ResultPtr result = exec("SELECT lastval()");
    check(result, "SELECT lastval()");
    return static_cast<std::int64_t>(std::stoll(libpq().getvalue(result.get(), 0, 0)));
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
      is_only_looked_at_ ? only_look() : take();
    } catch (const StoreError&) {
      connection_.reset();
      throw;
    }
  }

  void only_look() {
    const std::string path = schema_.empty() ? "" : cat("; SET search_path = ", schema_);
    check(exec(cat("SET default_transaction_read_only = on", path).c_str()), "SET search_path");
  }

  void take() {
    const std::string number =
        schema_.empty() ? k_lock_number : cat("hashtextextended('", schema_, "', ", k_lock_number, ")");
    const ResultPtr taken = exec(cat("SET lock_timeout = '", others_ ? k_lock_patience_beside : k_lock_patience,
                                     "'; SELECT pg_advisory_lock(", number, ")")
                                     .c_str());
    if (libpq().status(connection_.get()) != CONNECTION_OK)
      throw StoreError(cat("connecting to ", without_password(url_), ": ", told()));
    if (!schema_.empty()) take_schema(is_good(taken));
    if (is_good(taken)) return take_epoch();
    const std::string who = holder();
    if (!epoch_.empty() && stored_epoch() != epoch_) throw superseded(who);
    StoreError error(
        cat(who == own_name() ? "the former connection of this process" : who, " uses ", without_password(url_)));
    error.hint("One process at a time drives a database: stop that one, or name another database.");
    throw error;
  }

  /// Tables of its own, so that several parts share one database.
  void take_schema(bool is_ours) {
    const ResultPtr found = exec(cat("SELECT to_regnamespace('", schema_, "') IS NULL").c_str());
    check(found, "looking for the schema");
    if (is_ours && libpq().getvalue(found.get(), 0, 0) == std::string_view("t")) {
      const std::string make = cat("CREATE SCHEMA ", schema_);
      check(exec(make.c_str()), make);
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
    connection_.reset(libpq().connect_start(url_.c_str()));
    const Patience patience(true);
    PostgresPollingStatusType next = PGRES_POLLING_WRITING;
    while (libpq().status(connection_.get()) != CONNECTION_BAD && next != PGRES_POLLING_OK &&
           next != PGRES_POLLING_FAILED) {
      if (wait_for(next == PGRES_POLLING_READING ? POLLIN : POLLOUT, patience))
        next = libpq().connect_poll(connection_.get());
    }
    if (libpq().status(connection_.get()) == CONNECTION_OK && libpq().set_nonblocking(connection_.get(), 1) == 0)
      return;
    throw StoreError(cat("connecting to ", without_password(url_), ": ", told()));
  }

  /// How long one answer is waited for.
  class Patience {
   public:
    explicit Patience(bool has_end)
        : end_(has_end ? std::chrono::steady_clock::now() + k_patience : std::chrono::steady_clock::time_point::max()) {
    }
    [[nodiscard]] bool is_over() const { return std::chrono::steady_clock::now() > end_; }

   private:
    std::chrono::steady_clock::time_point end_;
  };

  /// False where there is nothing to be done for the connection yet; others were looked after then.
  bool wait_for(int events, const Patience& patience) {
    ::pollfd ready{libpq().socket(connection_.get()), static_cast<short>(events), 0};
    const bool is_closed = ready.fd < 0;  // which it learns when it is asked
    if (is_closed || ::poll(&ready, 1, k_look_milliseconds) > 0) return true;
    if (patience.is_over()) {
      connection_.reset();  // and with it what was begun
      throw StoreError(cat(without_password(url_), " has not answered for ", k_patience.count(), " s"));
    }
    if (others_) others_();
    return false;
  }

  /// The last result of what was sent, or the first that is a failure.
  ResultPtr result_of(int was_sent) {
    ResultPtr last;
    if (was_sent == 0) return last;
    const Patience patience(others_ != nullptr);
    for (int left = libpq().flush(connection_.get()); left == 1; left = libpq().flush(connection_.get())) {
      if (wait_for(POLLIN | POLLOUT, patience) && libpq().consume_input(connection_.get()) == 0) break;
    }
    for (;;) {
      while (libpq().is_busy(connection_.get()) == 1) {
        if (wait_for(POLLIN, patience) && libpq().consume_input(connection_.get()) == 0) break;
      }
      ResultPtr next(libpq().get_result(connection_.get()));
      if (!next) return last;
      if (!last || is_good(last)) last = std::move(next);
    }
  }

  ResultPtr exec(const char* statements) { return result_of(libpq().send_query(connection_.get(), statements)); }

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
    const std::string before = epoch_.empty() ? "" : stored_epoch();
    const std::string who = holder();
    const ResultPtr raised = attempt(
        "INSERT INTO hearth_epoch (one, number, holder) VALUES (TRUE, 1, $1) ON CONFLICT (one) DO "
        "UPDATE SET number = hearth_epoch.number + 1, holder = $1 RETURNING number",
        {own_name()});
    check(raised, "raising the epoch");
    const bool others_drove = before != epoch_;
    epoch_ = libpq().getvalue(raised.get(), 0, 0);
    if (others_drove) throw superseded(who);
  }

  std::string stored_epoch() {
    const ResultPtr found = exec("SELECT number FROM hearth_epoch");
    check(found, "SELECT number FROM hearth_epoch");
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

  /// The library's last message, without the password.
  [[nodiscard]] std::string told() const {
    std::string message(trim(libpq().error_message(connection_.get())));
    return password_.empty() ? message : replace_all(message, password_, "***");
  }

  std::string url_;
  std::string schema_;
  bool is_only_looked_at_;
  std::string password_;
  std::function<void()> others_;
  std::string epoch_;     ///< which taking of the database is ours; empty before the first
  bool is_open_ = false;  ///< a transaction: what it did is lost with the connection
  std::unique_ptr<PGconn, ConnectionDeleter> connection_;
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
