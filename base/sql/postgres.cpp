// PostgreSQL by libpq, in its text format. A connection that broke is made anew where that is safe: when a transaction
// begins, or for a statement outside of any. Nothing blocks: whoever waits may do something else meanwhile.
#include <dlfcn.h>
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/error.hpp"
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

/// Held as long as we are connected: no two processes drive one database. Any number will do that others don't use.
/// The wait is for the server to notice that a predecessor died; later it is for whoever locked a table, and forgot it.
constexpr const char* k_take = "SET lock_timeout = '5s'; SELECT pg_advisory_lock(7521846120734)";
/// Where others are served meanwhile, who asks is told to come again soon.
constexpr const char* k_take_beside = "SET lock_timeout = '1s'; SELECT pg_advisory_lock(7521846120734)";

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

/// "postgresql://u:secret@h/d" → "postgresql://u:***@h/d".
std::string without_password(const std::string& url) {
  const std::size_t start = url.find("://") + 3;
  const std::size_t at = url.rfind('@', url.find('/', start));
  const std::size_t colon = url.find(':', start);
  if (at == std::string::npos || colon == std::string::npos || colon > at) return url;
  return cat(url.substr(0, colon), ":***", url.substr(at));
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
  explicit PostgresConnection(const std::string& url) : url_(url) { connect(); }

  void meanwhile(std::function<void()> others) override {
    others_ = std::move(others);
    if (libpq().status(connection_.get()) == CONNECTION_OK) check(exec("SET lock_timeout = '1s'"), "SET lock_timeout");
  }

  void begin() override {
    if (libpq().status(connection_.get()) != CONNECTION_OK) connect();
    ResultPtr result = exec("BEGIN");
    if (libpq().result_status(result.get()) !=
        PGRES_COMMAND_OK) {  // it broke since: nothing was begun, so nothing is lost
      connect();
      result = exec("BEGIN");
      check(result, "BEGIN");
    }
    try {
      is_open_ = stored_epoch() == epoch_;  // the lock may have been taken from us without an end of the connection
    } catch (const StoreError&) {
      connection_.reset();  // and with it what was begun
      throw;
    }
    if (is_open_) return;
    connection_.reset();
    throw superseded("another process has taken ", "");
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
  void connect() {
    open();
    libpq().set_notice_processor(
        connection_.get(), [](void*, const char*) {}, nullptr);
    const ResultPtr taken = exec(others_ ? k_take_beside : k_take);
    const ExecStatusType status = libpq().result_status(taken.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
      connection_.reset();
      throw StoreError(cat("another process uses ", without_password(url_)));
    }
    take_epoch();
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
    throw StoreError(
        cat("connecting to ", without_password(url_), ": ", trim(libpq().error_message(connection_.get()))));
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

  [[nodiscard]] StoreError superseded(std::string_view before, std::string_view behind) const {
    StoreError error(cat(before, without_password(url_), behind));
    error.supersede();
    return error;
  }

  /// Raised by whoever takes the database. When it is another one than ours after a reconnect, somebody drove the
  /// database meanwhile: what we know of it is old, and is to be read anew before anything is done with it.
  void take_epoch() {
    check(exec("CREATE TABLE IF NOT EXISTS hearth_epoch (one BOOLEAN PRIMARY KEY, number BIGINT)"),
          "CREATE TABLE hearth_epoch");
    const std::string before = epoch_.empty() ? "" : stored_epoch();
    const ResultPtr raised = exec(
        "INSERT INTO hearth_epoch (one, number) VALUES (TRUE, 1) ON CONFLICT (one) DO "
        "UPDATE SET number = hearth_epoch.number + 1 RETURNING number");
    check(raised, "raising the epoch");
    const bool others_drove = before != epoch_;
    epoch_ = libpq().getvalue(raised.get(), 0, 0);
    if (others_drove) throw superseded("another process has used ", " while the connection was broken");
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
    throw StoreError(cat("running ", statement.substr(0, 200), " in ", without_password(url_), ": ",
                         trim(libpq().error_message(connection_.get()))));
  }

  std::string url_;
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

std::unique_ptr<Connection> open_postgres(const std::string& url) { return std::make_unique<PostgresConnection>(url); }

}  // namespace hearth::sql::detail
