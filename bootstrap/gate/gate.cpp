#include "bootstrap/gate/gate.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/hex.hpp"
#include "base/hmac.hpp"
#include "base/net/url.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "bootstrap/gate/answer.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_cookie = "hearth-session";
constexpr const char* k_login = "/v1/hearth/login";
constexpr const char* k_import = "/v1/hearth/import";
constexpr std::array<std::string_view, 4> k_roles = {"nobody", "read", "operate", "admin"};
constexpr std::size_t k_shortest_token = 16;

std::string name_of_user(uid_t user) {
  std::array<char, 4096> room{};
  passwd entry{};
  passwd* found = nullptr;
  const bool known = ::getpwuid_r(user, &entry, room.data(), room.size(), &found) == 0 && found != nullptr;
  return known ? entry.pw_name : cat("user ", user);
}

/// The host of "host:port" and "[address]:port", lower case, without the root's dot.
std::string host_of(const std::string& authority) {
  std::string host = to_lower(authority);
  if (!host.empty() && host.front() == '[') return host.substr(0, host.find(']') + 1);
  host = host.substr(0, host.find(':'));
  if (!host.empty() && host.back() == '.') host.pop_back();
  return host;
}

bool is_address(const std::string& host) {
  return host.front() == '[' || host.find_first_not_of("0123456789.") == std::string::npos;
}

std::string basic_password(const std::string& header) {
  if (header.rfind("Basic ", 0) != 0) return "";
  const std::string plain = base64_decode(trim(header.substr(6))).value_or("");
  const std::size_t colon = plain.find(':');
  return colon == std::string::npos ? "" : plain.substr(colon + 1);
}

std::string cookie_of(const ServedRequest& request) {
  for (const std::string& pair : split(request.header("Cookie").value_or(""), ';')) {
    const std::string_view one = trim(pair);
    if (one.starts_with(k_cookie) && one.substr(std::string_view(k_cookie).size()).starts_with("="))
      return std::string(one.substr(std::string_view(k_cookie).size() + 1));
  }
  return "";
}

std::string session_of(const Credential& person, std::uint64_t ends, const std::string& nonce) {
  const std::string name = replace_all(percent_encode(person.name), ".", "%2E");
  const std::string mac =
      hmac(HashKind::sha256, person.token, cat("hearth-session ", ends, " ", nonce, " ", person.name));
  return cat(ends, ".", nonce, ".", to_hex(mac), ".", name);
}

std::string cookie_header(const std::string& value, bool tls, std::int64_t seconds) {
  return cat(k_cookie, "=", value, "; Path=/; HttpOnly; SameSite=Strict; Max-Age=", seconds, tls ? "; Secure" : "");
}

}  // namespace

std::optional<Role> parse_role(std::string_view name) {
  const auto found = std::find(k_roles.begin() + 1, k_roles.end(), name);
  if (found == k_roles.end()) return std::nullopt;
  return static_cast<Role>(found - k_roles.begin());
}

std::string_view name_of(Role role) { return k_roles.at(static_cast<std::size_t>(role)); }

bool is_own_host(const std::string& authority, const std::vector<std::string>& names) {
  const std::string host = host_of(authority);
  if (host.empty() || is_address(host) || host == "localhost" || host.ends_with(".localhost")) return true;
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return to_lower(name) == host; });
}

bool is_from_foreign_page(const ServedRequest& request) {
  if (const auto origin = request.header("Origin")) {
    const std::size_t scheme = origin->find("://");
    return scheme == std::string::npos || to_lower(origin->substr(scheme + 3)) != to_lower(request.host());
  }
  const std::string site = request.header("Sec-Fetch-Site").value_or("none");
  // A link that somebody follows is no page's doing; what it fetches has SameSite cookies left out.
  const bool followed = request.header("Sec-Fetch-Mode") == "navigate" && request.method == "GET";
  return site != "none" && site != "same-origin" && !followed;
}

namespace {

/// What is wrong with a line of people; no token is told.
std::string line_fault(const std::vector<std::string>& words) {
  if (words.size() != 3)
    return cat("NAME ROLE TOKEN is expected, which are 3 words, and here are ", words.size(),
               "; ROLE is read, operate ", "or admin");
  if (!parse_role(words[1])) {
    const std::optional<std::string> near = nearest(words[1], {k_roles.begin() + 1, k_roles.end()});
    return cat("'", words[1], "' is no role", near ? cat("; do you mean ", *near, "?") : ".",
               " There are read, operate and admin: NAME ROLE TOKEN");
  }
  if (words[2].size() < k_shortest_token)
    return cat("the token of ", words[0], " has ", words[2].size(), " characters, and needs ", k_shortest_token,
               " at least: openssl rand -hex 32");
  return "";
}

}  // namespace

std::vector<Credential> parse_people(std::string_view text, const std::string& source) {
  std::vector<Credential> people;
  std::size_t number = 0;
  for (const std::string& line : split_lines(text)) {
    ++number;
    const std::vector<std::string> words = split_words(line);
    if (words.empty() || words.front().front() == '#') continue;
    if (const std::string fault = line_fault(words); !fault.empty())
      throw Error(ErrorKind::input, cat(source, ":", number, ": ", fault));
    people.push_back({words[0], *parse_role(words[1]), words[2]});
  }
  return people;
}

Gate::Gate(Settings settings, GuardedHandler& behind, const Clock& clock, Logger& log)
    : settings_(std::move(settings)), behind_(behind), clock_(clock), log_(log) {}

Caller Gate::by_token(const std::string& token) const {
  Caller found;
  for (const Credential& one : settings_.people) {  // all of them: how long it takes tells nothing
    if (!one.token.empty() && equal_in_constant_time(token, one.token)) found = {one.role, one.name, one.role};
  }
  return found;
}

Caller Gate::caller_of(const ServedRequest& request) const {
  if (const auto token = request.header("X-Auth-Token")) return by_token(*token);
  if (const auto basic = request.header("Authorization")) return by_token(basic_password(*basic));
  if (request.user) return by_user(*request.user);
  return by_session(cookie_of(request));
}

Caller Gate::by_user(uid_t user) {
  if (user != 0 && user != ::geteuid()) return {};
  return {Role::admin, name_of_user(user), Role::admin};
}

/// A session is "ENDS.NONCE.MAC.NAME": it is not kept here, so that it outlives a restart of the conductor as its token
/// does. It only lets look, whatever its owner may do: browsers send cookies by themselves, and acting is to need the
/// token.
Caller Gate::by_session(const std::string& session) const {
  const std::vector<std::string> parts = split(session, '.');
  const std::optional<std::uint64_t> ends = parts.size() == 4 ? parse_number(parts[0]) : std::nullopt;
  if (!ends || *ends <= seconds_now() || ended_.contains(session)) return {};
  const std::string name = percent_decode(parts[3]);
  Caller found;
  for (const Credential& one : settings_.people) {
    if (one.name == name && !one.token.empty() && equal_in_constant_time(session, session_of(one, *ends, parts[1])))
      found = {std::min(one.role, Role::read), one.name, one.role};
  }
  return found;
}

std::uint64_t Gate::seconds_now() const {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, unix_seconds(clock_.wall())));
}

/// Remembered until it would have ended by itself; no more than k_sessions, of which the next to end go first.
void Gate::end_session(const std::string& session) {
  if (by_session(session).role == Role::nobody) return;
  std::erase_if(ended_, [now = seconds_now()](const std::string& one) {
    return parse_number(std::string_view(one).substr(0, one.find('.'))).value_or(0) <= now;
  });
  if (ended_.size() >= k_sessions) ended_.erase(ended_.begin());
  ended_.insert(session);
}

ServedResponse Gate::log_in(const ServedRequest& request, const Caller& caller) {
  ServedResponse response = empty_answer(204);
  if (request.method == "DELETE") {
    end_session(cookie_of(request));
    response.headers.emplace_back("Set-Cookie", cookie_header("", request.tls, 0));
    return response;
  }
  if (request.method != "POST") return fault_answer(405, "Method Not Allowed");
  if (caller.role == Role::nobody) return fault_answer(401, "A valid X-Auth-Token, or Basic credentials, are needed");
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(k_session).count();
  const auto person = std::find_if(settings_.people.begin(), settings_.people.end(), [&](const Credential& one) {
    return one.name == caller.name && !one.token.empty();
  });
  if (person == settings_.people.end()) return fault_answer(401, "A token is needed");
  const std::string session = session_of(*person, seconds_now() + static_cast<std::uint64_t>(seconds), random_hex(8));
  response.headers.emplace_back("Set-Cookie", cookie_header(session, request.tls, seconds));
  log_.info(cat(caller.name, " logged in from ", request.peer));
  return response;
}

std::optional<Gate::Fault> Gate::fault_of(const ServedRequest& request) const {
  if (!is_own_host(request.host(), settings_.hosts)) {
    return Fault{
        421, cat("This is not ", request.host(), ": ask by its address, or start it with --allow-host and that name")};
  }
  if (is_from_foreign_page(request)) return Fault{403, "A page from elsewhere has no business here"};
  return std::nullopt;
}

Admission Gate::admit(const ServedRequest& head) {
  const bool imports = head.method == "POST" && head.path == k_import && caller_of(head).role == Role::admin;
  return {.refusal = {}, .body_bytes = imports ? k_inventory : k_body};
}

std::unique_ptr<HeldAnswer> Gate::hold(const ServedRequest& request) {
  if (fault_of(request) || request.path == k_login) return nullptr;
  return behind_.hold(request, caller_of(request));
}

ServedResponse Gate::answer(const ServedRequest& request) {
  if (const std::optional<Fault> fault = fault_of(request)) {
    if (warnings_.take(clock_.now())) {
      log_.warning(cat("refused ", request.method, " ", without_secrets(request.target), " from ", request.peer, ": ",
                       fault->text));
    }
    return fault_answer(fault->status, fault->text);
  }
  const Caller caller = caller_of(request);
  if (request.path == k_login) return log_in(request, caller);
  const MonotonicTime begun = clock_.now();
  ServedResponse response = behind_.answer(request, caller);
  if (pace_ != nullptr)
    pace_->took("answer", clock_.now() - begun, clock_.now(), cat(request.method, " ", request.path));
  if (response.status == 401 && warnings_.take(clock_.now()))
    log_.warning(cat("no valid token: ", request.method, " ", request.path, " from ", request.peer));
  return response;
}

}  // namespace hearth::bootstrap
