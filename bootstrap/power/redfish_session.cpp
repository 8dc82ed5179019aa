#include "bootstrap/power/redfish_session.hpp"

#include <algorithm>
#include <array>

#include "base/hmac.hpp"
#include "base/log.hpp"
#include "base/progress_text.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/power/driver_keys.hpp"

namespace hearth::bootstrap {

namespace {

using Reason = PowerFault::Reason;

std::string redfish_password(const Node& node) {
  const std::string file = driver_setting(node, "redfish_password_file");
  return file.empty() ? driver_setting(node, "redfish_password") : std::string(trim(read_file(file)));
}

/// What an error answer says (DSP0266, error responses): of several messages all, where they differ.
std::string error_text(const Json& body) {
  const Json& error = member_or_null(body, "error");
  std::vector<std::string> told;
  for (const Json& row : list_member(error, "@Message.ExtendedInfo")) {
    const std::string text = text_in(row, "Message");
    if (!text.empty() && std::find(told.begin(), told.end(), text) == told.end()) told.push_back(text);
  }
  return words_of_bmc(told.empty() ? text_in(error, "message") : join(told, " "));
}

Duration own_seconds(const Node& node) {
  const std::optional<std::uint64_t> given = parse_number(driver_setting(node, "redfish_timeout"));
  return std::chrono::seconds(given && *given > 0 && *given < 3600 ? *given : 60);
}

/// Some name whole URLs: it is their path that counts, at the address that we were given.
std::string path_of(const std::string& location) {
  const std::size_t scheme = location.find("://");
  if (location.starts_with('/') || scheme == std::string::npos) return location;
  const std::size_t slash = location.find('/', scheme + 3);
  return slash == std::string::npos ? "/" : location.substr(slash);
}

}  // namespace

std::string redfish_url(const Node& node) {
  std::string address = driver_setting(node, "redfish_address");
  if (address.find("://") == std::string::npos) address = cat("https://", address);
  while (!address.empty() && address.back() == '/') address.pop_back();
  const std::size_t host = address.find("://") + 3;
  const std::size_t end = std::min(address.find('/', host), address.size());
  const std::string authority = address.substr(host, end - host);
  const std::string port = driver_setting(node, "redfish_port");
  // An IPv6 address in brackets has colons of its own.
  const bool named = authority.find(':', authority.rfind(']') + 1) != std::string::npos;
  return port.empty() || named ? address : address.insert(end, cat(":", port));
}

std::string words_of_bmc(std::string_view text) {
  constexpr std::size_t k_most_columns = 400;
  return cut_to_width(one_line(text), k_most_columns, {.unicode = true});
}

std::optional<RedfishSessions::Open> RedfishSessions::of(const std::string& account) const {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(account);
  return found == open_.end() ? std::nullopt : std::optional(found->second);
}

bool RedfishSessions::keep(const std::string& account, Open session) {
  const std::lock_guard lock(mutex_);
  return open_.emplace(account, std::move(session)).second;
}

void RedfishSessions::forget(const std::string& account, const std::string& token) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(account);
  if (found != open_.end() && found->second.token == token) open_.erase(found);
}

std::vector<RedfishSessions::Open> RedfishSessions::take_all() {
  const std::lock_guard lock(mutex_);
  std::vector<Open> all;
  for (auto& [account, session] : std::exchange(open_, {})) all.push_back(std::move(session));
  return all;
}

RedfishSession::RedfishSession(HttpClient& http, Clock& clock, const Node& node, RedfishSessions& kept)
    : http_(http),
      clock_(clock),
      node_(node),
      kept_(kept),
      base_(redfish_url(node)),
      list_until_(Deadline::after(std::chrono::minutes(10), clock)) {
  log_in();
}

RedfishSession::RedfishSession(HttpClient& http, Clock& clock, const RedfishSessions::Open& open, RedfishSessions& kept,
                               const Deadline& deadline)
    : http_(http),
      clock_(clock),
      node_(open.node),
      kept_(kept),
      base_(redfish_url(open.node)),
      deadline_(deadline),
      token_(open.token),
      session_(open.path) {}

void RedfishSession::end_all(HttpClient& http, Clock& clock, RedfishSessions& kept) {
  const Deadline deadline = Deadline::after(std::chrono::seconds(1), clock);
  for (const RedfishSessions::Open& open : kept.take_all()) {
    if (deadline.passed(clock.now())) return;
    const RedfishSession ending(http, clock, open, kept, deadline);
  }
}

RedfishSession::~RedfishSession() {
  if (session_.empty()) return;
  try {
    static_cast<void>(send_once("DELETE", session_, Json()));
  } catch (const std::exception&) {  // it ends by itself later
    session_.clear();
  }
}

/// Another password is another account's.
std::string RedfishSession::account() const {
  return cat(base_, " ", driver_setting(node_, "redfish_username"), " ", redfish_password(node_));
}

void RedfishSession::log_in() {
  basic_ = driver_setting(node_, "redfish_auth_type") == "basic";
  if (basic_ || driver_setting(node_, "redfish_username").empty()) return;
  if (const std::optional<RedfishSessions::Open> open = kept_.of(account())) {
    token_ = open->token;
    from_before_ = true;
    return;
  }
  std::string sessions = "/redfish/v1/SessionService/Sessions";
  const Answer root = send_once("GET", "/redfish/v1/", Json());
  if (root.status != 200) refuse("its root", root);
  const std::string named = text_in(object_member(object_member(root.body, "Links"), "Sessions"), "@odata.id");
  if (!named.empty()) sessions = named;
  const Answer made =
      send_once("POST", sessions,
                {{"UserName", driver_setting(node_, "redfish_username")}, {"Password", redfish_password(node_)}});
  const std::string token = find_header(made.headers, "X-Auth-Token").value_or("");
  if (made.status >= 200 && made.status < 300 && !token.empty()) {
    token_ = token;
    const std::string place = path_of(find_header(made.headers, "Location").value_or(text_in(made.body, "@odata.id")));
    if (!kept_.keep(account(), {node_, token_, place})) session_ = place;
    return;
  }
  const bool none = made.status == 404 || made.status == 405 || made.status == 501 || made.status == 503;
  if (!none || driver_setting(node_, "redfish_auth_type") == "session") refuse("log-in", made);
  basic_ = true;  // no sessions here, or none left
}

RedfishSession::Answer RedfishSession::send(const std::string& method, const std::string& path, const Json& body,
                                            const std::string& tag) {
  const Answer answer = send_once(method, path, body, tag);
  if (answer.status != 401 || !from_before_) return answer;
  kept_.forget(account(), std::exchange(token_, ""));
  from_before_ = false;
  log_in();
  return send_once(method, path, body, tag);
}

RedfishSession::Answer RedfishSession::send_once(const std::string& method, const std::string& path, const Json& body,
                                                 const std::string& tag) {
  HttpRequest request;
  request.method = method;
  const std::string place = path_of(path);
  const Result<Url> url = parse_url(cat(base_, place));
  if (!url || !place.starts_with('/')) {
    throw PowerFault(Reason::failed,
                     parse_url(base_) ? cat("BMC ", base_, " names a place that is no path: '", words_of_bmc(path), "'")
                                      : cat("redfish_address ", base_, " is no URL"));
  }
  request.url = *url;
  request.headers = {{"Accept", "application/json"}, {"OData-Version", "4.0"}};
  if (!token_.empty()) request.headers.emplace_back("X-Auth-Token", token_);
  if (basic_) {
    request.headers.emplace_back(
        "Authorization",
        cat("Basic ", base64_encode(cat(driver_setting(node_, "redfish_username"), ":", redfish_password(node_)))));
  }
  if (!tag.empty()) request.headers.emplace_back("If-Match", tag);
  if (!body.is_null()) {
    request.headers.emplace_back("Content-Type", "application/json");
    request.body = format_json(body);
  }
  const std::string verify = driver_setting(node_, "redfish_verify_ca");
  request.verify_tls = verify != "false" && verify != "False";
  if (request.verify_tls && verify != "true" && verify != "True") request.ca_file = verify;
  request.max_redirects = 3;
  request.deadline = deadline_.is_never() ? Deadline::after(own_seconds(node_), clock_) : deadline_;
  try {
    const HttpResponse response = http_.send(request);
    const Result<Json> parsed = parse_json(response.body, "answer");
    return {response.status, parsed ? *parsed : Json(), response.headers};
  } catch (const Error& error) {
    const Reason reason = error.kind() == ErrorKind::input ? Reason::refused : Reason::unreachable;
    throw PowerFault(reason, cat("BMC ", base_, ": ", error.what()));
  }
}

void RedfishSession::refuse(const std::string& what, const Answer& answer) const {
  const std::string told = error_text(answer.body);
  const Reason reason = answer.status == 401 || answer.status == 403   ? Reason::refused
                        : answer.status == 429 || answer.status == 503 ? Reason::busy
                        : answer.status == 502 || answer.status == 504 ? Reason::unreachable
                                                                       : Reason::failed;
  throw PowerFault(reason,
                   cat("BMC ", base_, ": ", what, ": HTTP ", answer.status, told.empty() ? "" : cat(": ", told)));
}

Json RedfishSession::get(const std::string& path) { return taken(path, send("GET", path, Json())); }

Json RedfishSession::get_if_there(const std::string& path) {
  const Answer answer = send("GET", path, Json());
  return answer.status == 404 ? Json() : taken(path, answer);
}

Json RedfishSession::taken(const std::string& path, const Answer& answer) {
  if (answer.status != 200) refuse(path, answer);
  if (!answer.body.is_object())
    throw PowerFault(Reason::failed, cat("BMC ", base_, ": ", path, ": the answer is no JSON object: is this a BMC?"));
  const std::string tag = find_header(answer.headers, "ETag").value_or(text_in(answer.body, "@odata.etag"));
  if (!tag.empty()) tags_[path] = tag;
  return answer.body;
}

void RedfishSession::post(const std::string& path, const Json& body) {
  const Answer answer = send("POST", path, body);
  if (answer.status < 200 || answer.status >= 300) refuse(path, answer);
}

std::string RedfishSession::order(const std::string& method, const std::string& path, const Json& body) {
  const Answer answer = send(method, path, body);
  if (answer.status < 200 || answer.status >= 300) refuse(path, answer);
  if (answer.status != 202) return "";
  const std::string place = find_header(answer.headers, "Location").value_or("");
  if (!place.empty()) return path_of(place);
  return path_of(text_in(answer.body, "TaskMonitor", text_in(answer.body, "@odata.id")));
}

BmcTask RedfishSession::task(const std::string& path) {
  const Answer answer = send("GET", path, Json());
  if (answer.status == 404 || answer.status == 410) return {};  // it was done, and is forgotten
  // A monitor answers 202 until the end, and then as the order itself would have; a task says in words how far it is.
  const std::string state = text_in(answer.body, "TaskState");
  constexpr std::array<std::string_view, 4> k_resting = {"New", "Pending", "Starting", "Suspended"};
  constexpr std::array<std::string_view, 4> k_running = {"Running", "Stopping", "Service", "Cancelling"};
  const auto is_of = [&state](const auto& list) { return std::find(list.begin(), list.end(), state) != list.end(); };
  const std::string of = text_in(object_member(answer.body, "Payload"), "TargetUri");
  if (is_of(k_resting)) return {.running = true, .rests = true, .fault = "", .of = of};
  if (is_of(k_running) || (answer.status == 202 && state.empty()))
    return {.running = true, .rests = false, .fault = "", .of = of};
  const bool is_of_asking = answer.status == 401 || answer.status == 403 || answer.status == 429;
  if (is_of_asking || answer.status >= 500) refuse(path, answer);
  const std::string health = text_in(answer.body, "TaskStatus", "OK");
  if (answer.status < 400 && (state.empty() || (state == "Completed" && health != "Critical")))
    return {.running = false, .rests = false, .fault = "", .of = of};
  std::vector<std::string> told;
  for (const Json& row : list_member(answer.body, "Messages")) told.push_back(text_in(row, "Message"));
  std::erase(told, "");
  const std::string words = told.empty() ? error_text(answer.body) : words_of_bmc(join(told, " "));
  return {.running = false,
          .rests = false,
          .fault = cat("its BMC's task ", words_of_bmc(path), " ended as ",
                       state.empty() ? cat("HTTP ", answer.status) : words_of_bmc(state),
                       words.empty() ? "" : cat(": ", words)),
          .of = of};
}

Json RedfishSession::linked(const Json& object, const char* key) {
  const std::string path = text_in(object_member(object, key), "@odata.id");
  return path.empty() ? Json() : get_if_there(path);
}

std::vector<Json> RedfishSession::members(const Json& collection, const char* key) {
  constexpr std::size_t k_most = 512;  // drives of a controller with its enclosures
  std::vector<Json> found;
  for (const Json& row : list_member(collection, key)) {
    if (found.size() == k_most) break;
    if (list_until_.passed(clock_.now()))
      throw PowerFault(Reason::failed, cat("BMC ", base_, ": it took more than ten minutes to tell of its parts"));
    Json one = get_if_there(text_in(row, "@odata.id"));
    if (one.is_object()) found.push_back(std::move(one));
  }
  return found;
}

void RedfishSession::patch(const std::string& path, const Json& body) {
  const std::string tag = tags_[path];
  // Some want the tag as they gave it, some in its strong form, some not at all.
  std::vector<std::string> tries = {tag};
  if (tag.rfind("W/", 0) == 0) tries.push_back(tag.substr(2));
  if (!tag.empty()) tries.insert(tries.end(), {"*", ""});
  Answer answer{};
  for (const std::string& one : tries) {
    answer = send("PATCH", path, body, one);
    if (answer.status != 412 && answer.status != 428) break;
  }
  if (answer.status < 200 || answer.status >= 300) refuse(path, answer);
}

std::string RedfishSession::system_path() {
  const std::string given = driver_setting(node_, "redfish_system_id");
  if (!given.empty() && given.front() == '/') return given;
  if (!given.empty()) return cat("/redfish/v1/Systems/", given);
  const Json members = list_member(get("/redfish/v1/Systems"), "Members");
  if (members.size() != 1) {
    throw PowerFault(Reason::failed,
                     cat("BMC ", base_, " has ", members.size(), " systems; redfish_system_id says which is meant"));
  }
  return text_in(members[0], "@odata.id");
}

}  // namespace hearth::bootstrap
