#include "agent/deploy/rest/face.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/frames/giving.hpp"
#include "base/hmac.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

ServedResponse json_answer(int status, const Json& body) {
  ServedResponse response{.status = status};
  response.headers.emplace_back("Content-Type", "application/json");
  response.body = format_json(body, {.lossy = true});
  return response;
}

ServedResponse fault(int status, const std::string& text) {
  return json_answer(status, {{"faultcode", status < 500 ? "Client" : "Server"}, {"faultstring", text}});
}

Json link(const std::string& base, const std::string& path, const char* relation) {
  return {{"href", cat(base, path)}, {"rel", relation}};
}

Json root_document(const std::string& base) {
  const Json version = {{"id", "v1"}, {"links", {link(base, "/v1", "self")}}};
  return {{"name", "OpenStack Ironic Python Agent API"},
          {"description", "hearth-agent, which speaks the protocol of Ironic Python Agent"},
          {"versions", {version}},
          {"default_version", version}};
}

Json v1_document(const std::string& base) {
  return {{"commands", {link(base, "/v1/commands", "self"), link(base, "/commands", "bookmark")}},
          {"status", {link(base, "/v1/status", "self"), link(base, "/status", "bookmark")}},
          {"media_types",
           {{{"base", "application/json"}, {"type", "application/vnd.openstack.ironic-python-agent.v1+json"}}}},
          {"id", "v1"},
          {"links", {link(base, "/v1", "self")}}};
}

/// One request on its way through the table of paths.
class Exchange {
 public:
  Exchange(const ServedRequest& request, CommandBoard& board, const FaceState& state)
      : request_(request), board_(board), state_(state), query_(parse_query(request.query)), path_(request.path) {
    while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
  }

  RestAnswer answer() {
    const std::string base = cat(request_.tls ? "https://" : "http://", request_.host());
    if (path_ == "/v1/commands" && request_.method == "POST") return execute();
    if (request_.method != "GET") return fault(405, "Method not allowed.");
    if (path_ == "/") return json_answer(200, root_document(base));
    if (path_ == "/v1") return json_answer(200, v1_document(base));
    if (path_ == "/v1/status") return status();
    if (path_.starts_with(frames::k_giving_path) && state_.give) return state_.give(request_);
    const std::string commands = "/v1/commands";
    if (path_ != commands && path_.rfind(commands + "/", 0) != 0) return fault(404, "Not found.");
    if (!token_fits(false)) return fault(401, "401 Unauthorized: Token invalid.");
    if (path_ == commands) return json_answer(200, board_.all());
    return json_answer(200, board_.one(path_.substr(commands.size() + 1), waits()));
  }

 private:
  /// Strangers could take all places of the port by waiting.
  [[nodiscard]] bool waits() const {
    const auto found = query_.find("wait");
    return found != query_.end() && token_fits(true) && to_lower(found->second) == "true";
  }

  /// Results may be asked for without a token, as long as none is sent: conductors up to 2023 do so.
  [[nodiscard]] bool token_fits(bool needed) const {
    const auto sent = query_.find("agent_token");
    if (state_.token.empty() || (sent == query_.end() && !needed)) return true;
    return sent != query_.end() && equal_in_constant_time(sent->second, state_.token);
  }

  ServedResponse status() {
    Json body = {{"started_at", state_.started_at}, {"version", state_.version}};
    if (state_.progress) body["progress"] = state_.progress();
    return json_answer(200, body);
  }

  ServedResponse execute() {
    if (!token_fits(true)) return fault(401, "401 Unauthorized: Token invalid.");
    const Result<Json> command = parse_json(request_.body, "command");
    const bool fits = command && command->is_object() && command->contains("name") && (*command)["name"].is_string();
    if (!fits) return fault(400, "Invalid command: Missing or invalid name or params.");
    const Json params = command->value("params", Json::object());
    if (!params.is_object()) return fault(400, "Invalid command: Missing or invalid name or params.");
    return json_answer(200, board_.execute((*command)["name"].get<std::string>(), params, waits()));
  }

  const ServedRequest& request_;
  CommandBoard& board_;
  const FaceState& state_;
  std::map<std::string, std::string> query_;
  std::string path_;
};

}  // namespace

std::map<std::string, std::string> parse_query(std::string_view query) {
  std::map<std::string, std::string> values;
  for (const std::string& pair : split(query, '&')) {
    const std::size_t equals = pair.find('=');
    const std::string value = equals == std::string::npos ? "" : pair.substr(equals + 1);
    if (!pair.empty()) values[percent_decode(pair.substr(0, equals))] = percent_decode(value);
  }
  return values;
}

bool admits_long_body(const ServedRequest& request, const FaceState& state) {
  const std::map<std::string, std::string> query = parse_query(request.query);
  const auto sent = query.find("agent_token");
  if (request.method != "POST") return false;
  return state.token.empty() || (sent != query.end() && equal_in_constant_time(sent->second, state.token));
}

RestAnswer answer_request(const ServedRequest& request, CommandBoard& board, const FaceState& state) {
  try {
    return Exchange(request, board, state).answer();
  } catch (const Refusal& refusal) {
    return fault(refusal.status, refusal.text);
  } catch (const std::exception& error) {
    return fault(500, error.what());
  }
}

}  // namespace hearth::agent::deploy
