#include "metadata/live/stack_client.hpp"

#include <optional>
#include <utility>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/net/dialer.hpp"
#include "base/net/url.hpp"
#include "base/net/wait_notice.hpp"
#include "base/sys/file.hpp"
#include "base/sys/local_socket.hpp"
#include "base/text.hpp"
#include "metadata/model/plain_words.hpp"

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
  return cat("the server answered ", response.status, " ", response.reason,
             response.status == 300 ? "; the path of a project is missing, as in http://192.0.2.1:8004/v1/admin" : "");
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

std::string between(const std::string& text, std::string_view before, std::string_view after) {
  const std::size_t begin = text.find(before);
  const std::size_t end = begin == std::string::npos ? begin : text.find(after, begin + before.size());
  return end == std::string::npos ? "" : text.substr(begin + before.size(), end - begin - before.size());
}

/// What a service lists there, and under which key each has its name.
struct Shelf {
  std::string path;
  const char* list;
  const char* key;
  const char* called;
};

/// Where what `asked` names would stand; nothing where that is no thing that a person names.
std::optional<Shelf> shelf_of(const std::string& path, const std::string& said, std::string& asked) {
  const auto up_to = [&](std::string_view part) { return path.substr(0, path.find(part)); };
  if (asked = between(said, "The Stack (", ") could not be found"); !asked.empty())
    return Shelf{"/stacks", "stacks", "stack_name", "stacks"};
  if (asked = between(said, "The Resource (", ") could not be found in Stack"); !asked.empty())
    return Shelf{cat(up_to("/resources/"), "/resources"), "resources", "resource_name", "resources of that stack"};
  if (asked = between(said, "Specified output key ", " not found."); !asked.empty())
    return Shelf{cat(up_to("/outputs/"), "/outputs"), "outputs", "output_key", "outputs of that stack"};
  return std::nullopt;
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
    constexpr std::string_view k_plain = "http://";
    const bool may_speak_tls = service_.socket.empty() && service_.url.starts_with(k_plain) &&
                               error.story().find("closed the connection") != std::string::npos;
    throw Error(error)
        .during(cat("asking the stack service at ", service_.url))
        .hint(cat(may_speak_tls ? cat("it may speak TLS: https://", service_.url.substr(k_plain.size()), "; ") : "",
                  "`hearth metadata serve` runs one, so does `hearth node serve --engine`; --url (of hearth deploy: "
                  "--stacks-url, of hearth why: --stack-url) names another"));
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
    const std::string said = message_of(response);
    Error error(response.status == 404 ? ErrorKind::not_found : ErrorKind::input, said);
    if (const std::string hint = advice(path, response.status, said); !hint.empty()) error.hint(hint);
    throw std::move(error);
  }
  if (response.body.empty() || response.body == "null") return {};
  Json answer = parse_json(response.body, "the answer").value_or_throw();
  if (!answer.is_object()) throw none_here("a stack service's");
  return answer;
}

std::string StackClient::advice(const std::string& path, int status, const std::string& said) {
  if (const std::string name = between(said, "The Stack (", ") already exists"); status == 409 && !name.empty())
    return cat("hearth stack update ", name, " changes it; --dry-run tells how");
  if (status == 400) {
    const std::string plain = plain_words(said);
    return plain == said ? "" : cat("in other words: ", plain);
  }
  std::string asked;
  const std::optional<Shelf> shelf = status == 404 ? shelf_of(path, said, asked) : std::nullopt;
  if (!shelf) return "";
  HttpResponse response;
  try {
    response = send("GET", cat(service_.url, shelf->path), {});
  } catch (const Error&) {
    return "";  // what was asked for is told all the same
  }
  const Json answer = json_or_null(response.body);
  std::vector<std::string> names;
  for (const Json& row : list_member(answer, shelf->list)) names.push_back(hearth::text_member(row, shelf->key));
  if (names.empty()) return response.ok() ? cat("there are no ", shelf->called) : "";
  constexpr std::size_t k_few = 8;
  if (const std::optional<std::string> near = nearest(asked, names)) return cat("did you mean ", *near, "?");
  if (names.size() <= k_few) return cat("there are: ", join(names, ", "));
  return cat("there are ", names.size(), " ", shelf->called, ", and none is called so");
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
