#include "base/sql/libpq.hpp"

#include <dlfcn.h>
#include <poll.h>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sql/database.hpp"
#include "base/text.hpp"

namespace hearth::sql::detail {

namespace {

/// Of several servers, each gets so long to take a connection.
constexpr auto k_patience_each = std::chrono::seconds(2);

template <class Function>
void resolve_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) throw StoreError(cat("the installed libpq is too old: it has no ", name));
}

}  // namespace

const Libpq& libpq() {
  static const Libpq loaded = [] {
    void* const library = ::dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);  // stays
    if (library == nullptr)
      throw StoreError(cat("PostgreSQL's library can't be loaded (Debian's package libpq5): ", ::dlerror()));
    Libpq functions{};
    resolve_function(library, "PQclear", functions.clear);
    resolve_function(library, "PQconnectPoll", functions.connect_poll);
    resolve_function(library, "PQconnectStartParams", functions.connect_start);
    resolve_function(library, "PQconnectionNeedsPassword", functions.needs_password);
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
    resolve_function(library, "PQparameterStatus", functions.parameter_status);
    resolve_function(library, "PQpass", functions.pass);
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

namespace {

/// One of the servers that a URL names: "postgresql://a,b:5433/d" names two.
struct Server {
  std::string host;
  std::string port;
};

/// None where libpq is to find out by itself: there is one, or they are given by number beside their names.
std::vector<Server> servers_in(const std::string& url) {
  const std::unique_ptr<PQconninfoOption, ConninfoDeleter> options(libpq().conninfo_parse(url.c_str(), nullptr));
  std::vector<std::string> hosts;
  std::vector<std::string> ports;
  for (const PQconninfoOption* at = options.get(); at != nullptr && at->keyword != nullptr; ++at) {
    const std::string_view keyword = at->keyword;
    if (at->val == nullptr) continue;
    if (keyword == "hostaddr") return {};
    if (keyword == "host") hosts = split(at->val, ',');
    if (keyword == "port") ports = split(at->val, ',');
  }
  if (hosts.size() < 2 || (ports.size() > 1 && ports.size() != hosts.size())) return {};
  std::vector<Server> servers;
  for (std::size_t n = 0; n < hosts.size(); ++n)
    servers.push_back({hosts[n], ports.empty() ? "" : ports[ports.size() > 1 ? n : 0]});
  return servers;
}

/// Until it is connected, has failed, has said nothing for too long, or nobody waits for it any more.
ConnectionPtr connected_to(const std::string& url, const char* password, const Server& server, Patience patience,
                           const std::atomic<bool>& is_given_up) {
  const std::array<const char*, 5> keywords = {"dbname", "host", "port", password == nullptr ? nullptr : "password",
                                               nullptr};
  const std::array<const char*, 5> values = {url.c_str(), server.host.c_str(), server.port.c_str(), password, nullptr};
  ConnectionPtr connection(libpq().connect_start(keywords.data(), values.data(), 1));
  PostgresPollingStatusType next = PGRES_POLLING_WRITING;
  while (!patience.is_over() && libpq().status(connection.get()) != CONNECTION_BAD && next != PGRES_POLLING_OK &&
         next != PGRES_POLLING_FAILED && !is_given_up) {
    const int events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    ::pollfd ready{libpq().socket(connection.get()), static_cast<short>(events), 0};
    if (ready.fd < 0 || ::poll(&ready, 1, k_look_milliseconds) > 0) next = libpq().connect_poll(connection.get());
  }
  return connection;
}

/// Why there is none, in the library's words.
std::string why_not(const PGconn* connection, const std::string& server) {
  if (libpq().status(connection) == CONNECTION_BAD) return std::string(trim(libpq().error_message(connection)));
  return cat(server, " has not answered for ", k_patience_each.count(), " s");
}

}  // namespace

/// libpq asks the second of several servers only when the first has refused; one whose machine is gone says nothing.
Connected connected(const std::string& url, const char* password, const std::atomic<bool>& is_given_up) {
  const std::vector<Server> servers = servers_in(url);
  Connected made;
  if (servers.empty()) {
    made.connection = connected_to(url, password, {}, Patience(k_patience), is_given_up);
    if (libpq().status(made.connection.get()) == CONNECTION_BAD)
      made.refused = trim(libpq().error_message(made.connection.get()));
    return made;
  }
  for (const Server& server : servers) {
    made.connection = connected_to(url, password, server, Patience(k_patience_each), is_given_up);
    if (libpq().status(made.connection.get()) == CONNECTION_OK) return {std::move(made.connection), ""};
    made.refused += cat(made.refused.empty() ? "" : "; ", why_not(made.connection.get(), server.host));
  }
  return made;
}

}  // namespace hearth::sql::detail
