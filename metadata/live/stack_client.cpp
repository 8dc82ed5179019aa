#include "metadata/live/stack_client.hpp"

#include <utility>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/net/dialer.hpp"
#include "base/net/url.hpp"
#include "base/net/wait_notice.hpp"
#include "base/sys/file.hpp"
#include "base/sys/local_socket.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {

namespace {

/// What the server said is wrong, as well as it can be found.
std::string message_of(const HttpResponse& response) {
  const Result<Json> body = parse_json(response.body, "the answer");
  const Json::json_pointer place("/error/message");
  if (body && body->is_object() && body->contains(place) && body->at(place).is_string()) {
    return body->at(place).get<std::string>();
  }
  if (std::string text(trim(response.body)); response.status == 503 && !text.empty()) return text;
  return cat("the server answered ", response.status, " ", response.reason);
}

bool is_same_place(const std::string& one, const std::string& other) {
  const Result<Url> a = parse_url(one);
  const Result<Url> b = parse_url(other);
  return a && b && a->scheme == b->scheme && a->host == b->host && a->port == b->port;
}

bool somebody_listens(const fs::path& socket) {
  try {
    return connect_locally(socket, false).has_value();
  } catch (const Error&) {  // not ours to ask: its URL may be
    return false;
  }
}

Error none_here(const std::string& what) {
  return Error(ErrorKind::input, cat("the answer is not ", what)).hint("is there a stack service at that address?");
}

}  // namespace

fs::path stacks_in(const fs::path& state) {
  const fs::path own = state / "metadata";
  return fs::is_directory(own) ? own : state;
}

StackAddress stack_address(const fs::path& of, const GivenAddress& given, const hearth::Environment& env) {
  const RealFileSystem files;
  const fs::path state = stacks_in(of);
  const auto text_of = [&](const fs::path& file) { return std::string(trim(files.read(file).value_or(""))); };
  const std::string given_token = given.token_file.empty() ? "" : text_of(given.token_file);  // once: it may be a pipe
  if (!given.token_file.empty() && given_token.empty())
    throw Error(ErrorKind::input, cat("the token in ", given.token_file, ": ",
                                      files.status(given.token_file) ? "the file is empty" : "there is no such file"));
  const std::string own_url = text_of(state / k_endpoint_file);
  StackAddress service{given.url.empty() ? own_url : given.url,
                       given.token_file.empty() ? text_of(state / "api-token") : given_token, given.ca_file};
  // Who says whom to trust asks by TLS.
  if (given.url.empty() && given.ca_file.empty() && somebody_listens(state / k_local_socket))
    service.socket = (state / k_local_socket).string();
  if (service.url.empty()) service.url = "http://127.0.0.1:8004/v1/admin";
  if (!service.ca_file.empty()) return service;
  const bool has_own = files.status(state / k_authority_file).has_value();
  const auto others = env.find("OS_CACERT");
  if (has_own && (given.url.empty() || is_same_place(given.url, own_url))) {
    service.ca_file = (state / k_authority_file).string();
  } else if (others != env.end()) {
    service.ca_file = others->second;
  }
  return service;
}

hearth::Environment trusting_own(hearth::Environment env, const fs::path& state) {
  env.emplace(k_site_authority, (state / k_authority_file).string());
  return env;
}

HttpRequest StackClient::request(const std::string& method, const std::string& url, const Json& body) const {
  HttpRequest request;
  request.method = method;
  request.url = parse_url(url).value_or_throw();
  request.headers = {
      {"X-Auth-Token", service_.token}, {"Accept", "application/json"}, {"Content-Type", "application/json"}};
  if (!body.is_null()) request.body = format_json(body, {.lossy = true});
  request.ca_file = service_.ca_file;
  request.socket = service_.socket;
  request.deadline = Deadline::after(patience_, clock_);
  return request;
}

/// Once: a command may ask a hundred times.
void StackClient::tell_of_age(const HttpResponse& response) {
  const std::string warning = find_header(response.headers, "Warning").value_or("");
  if (warning.rfind("110 ", 0) != 0 || std::exchange(told_of_age_, true)) return;
  cli::tell(
      cat("warning: the stack service at ", service_.url,
          " does not reach its store: what it tells was so before, and nothing can be changed until it does; its log "
          "says why\n"));
}

HttpResponse StackClient::send(const std::string& method, const std::string& url, const Json& body) {
  try {
    const WaitNotice notice(
        cat("waiting for the stack service at ", service_.url, ", ", patience_.count(), " s at most"));
    HttpResponse response = http_.send(request(method, url, body));
    tell_of_age(response);
    return response;
  } catch (Error& error) {
    throw Error(error)
        .during(cat("asking the stack service at ", service_.url))
        .hint(
            "`hearth metadata serve` runs one, so does `hearth node serve --engine`; --url (of hearth "
            "deploy: --stacks-url, of hearth why: --stack-url) names another");
  }
}

Json StackClient::call(const std::string& method, const std::string& path, const Json& body) {
  HttpResponse response = send(method, cat(service_.url, path), body);
  if (response.status == 302) {  // the same method again, which is not what HTTP clients do by themselves
    const std::string where = find_header(response.headers, "Location").value_or("");
    response = send(method, where, body);
  }
  if (response.status == 401) {
    throw Error(ErrorKind::input, "the stack service does not accept the token")
        .hint(
            "name the server's state directory with --state, or give --token-file; whether a token has ended, or who "
            "has one: hearth metadata token list --state DIR");
  }
  if (!response.ok()) {
    throw Error(response.status == 404 ? ErrorKind::not_found : ErrorKind::input, message_of(response));
  }
  if (response.body.empty() || response.body == "null") return {};
  Json answer = parse_json(response.body, "the answer").value_or_throw();
  if (!answer.is_object()) throw none_here("a stack service's");
  return answer;
}

Json StackClient::part(const std::string& path, std::string_view name) {
  const Json answer = call("GET", path);
  const Json* found = find_member(answer, name);
  if (found == nullptr) throw none_here(cat("a stack service's: it has no \"", name, "\""));
  return *found;
}

std::string StackClient::locate(const std::string& stack) {
  const Json shown = call("GET", cat("/stacks/", percent_encode(stack), "?resolve_outputs=False"));
  const Json::json_pointer name("/stack/stack_name");
  const Json::json_pointer id("/stack/id");
  const auto is_text = [&](const Json::json_pointer& at) { return shown.contains(at) && shown[at].is_string(); };
  if (!is_text(name) || !is_text(id)) throw none_here("a stack");
  return cat("/stacks/", shown[name].get<std::string>(), "/", shown[id].get<std::string>());
}

}  // namespace hearth::metadata::live
