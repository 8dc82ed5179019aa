// PostgreSQL's library, loaded when there is a database to connect to, what it owns, and how a connection is made.
#pragma once

#include <libpq-fe.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

namespace hearth::sql::detail {

/// libpq's functions without their prefix, loaded when there is a database to connect to: most commands never have one,
/// and loading what libpq loads in turn (LDAP, Kerberos, TLS) would be half of the time that each takes to start.
struct Libpq {
  decltype(&::PQclear) clear;
  decltype(&::PQconnectPoll) connect_poll;
  decltype(&::PQconnectStartParams) connect_start;
  decltype(&::PQconnectionNeedsPassword) needs_password;
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
  decltype(&::PQparameterStatus) parameter_status;
  decltype(&::PQpass) pass;
  decltype(&::PQresultStatus) result_status;
  decltype(&::PQsendQuery) send_query;
  decltype(&::PQsendQueryParams) send_query_params;
  decltype(&::PQsetNoticeProcessor) set_notice_processor;
  decltype(&::PQsetnonblocking) set_nonblocking;
  decltype(&::PQsocket) socket;
  decltype(&::PQstatus) status;
};

/// Throws StoreError where it can't be loaded.
[[nodiscard]] const Libpq& libpq();

struct ResultDeleter {
  void operator()(PGresult* result) const { libpq().clear(result); }
};
using ResultPtr = std::unique_ptr<PGresult, ResultDeleter>;

struct ConnectionDeleter {
  void operator()(PGconn* connection) const { libpq().finish(connection); }
};

using ConnectionPtr = std::unique_ptr<PGconn, ConnectionDeleter>;

struct ConninfoDeleter {
  void operator()(PQconninfoOption* options) const { libpq().conninfo_free(options); }
};

constexpr int k_look_milliseconds = 2;  ///< between two calls of what is done meanwhile
constexpr auto k_look = std::chrono::milliseconds(k_look_milliseconds);
/// A server that says nothing for as long is none, but for what wipes a large database before anybody is served.
constexpr auto k_patience = std::chrono::seconds(10);

/// How long one answer is waited for.
class Patience {
 public:
  explicit Patience(std::chrono::milliseconds limit) : end_(std::chrono::steady_clock::now() + limit) {}
  explicit Patience(bool has_end) : Patience(std::chrono::milliseconds(k_patience)) {
    if (!has_end) end_ = std::chrono::steady_clock::time_point::max();
  }
  [[nodiscard]] bool is_over() const { return std::chrono::steady_clock::now() > end_; }

 private:
  std::chrono::steady_clock::time_point end_;
};

/// One that is there, or has failed: then why, of each server that the URL names.
struct Connected {
  ConnectionPtr connection;
  std::string refused;
};

/// As the URL says; `password` where it is not null, in place of the one it has. Until nobody waits for it any more.
[[nodiscard]] Connected connected(const std::string& url, const char* password, const std::atomic<bool>& is_given_up);

}  // namespace hearth::sql::detail
