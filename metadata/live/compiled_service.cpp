#include "metadata/live/compiled_service.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "base/error.hpp"
#include "base/foreign_json.hpp"
#include "base/hash.hpp"
#include "base/net/http_date.hpp"
#include "base/net/url.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"
#include "base/sys/sync.hpp"
#include "base/text.hpp"
#include "metadata/engine/words.hpp"
#include "metadata/serve/conditional.hpp"

namespace hearth::metadata::live {

namespace {

/// A URL is the right to what it names: it is looked up by its digest, so that no comparison tells how much was right.
std::string digest_of(std::string_view target) { return hex_digest(HashKind::sha256, target); }
std::string digest_of_url(const std::string& url) { return digest_of(parse_url(url).value_or_throw().target()); }

ServedResponse refusal() {
  ServedResponse response;
  response.status = 401;
  response.headers = {{"Content-Type", "text/html; charset=UTF-8"}, {"Www-Authenticate", "Swift realm=\"unknown\""}};
  response.body = "401 Unauthorized: Temp URL invalid\n";
  return response;
}

ServedResponse document_response(const ServedRequest& request, const Document& document) {
  if (holds_current(request, document.tag, document.modified)) return not_modified(document.tag, document.modified);
  ServedResponse response;
  response.headers = {{"Content-Type", document.content_type},
                      {"Etag", document.tag},
                      {"Last-Modified", format_http_date(document.modified)}};
  response.shared_body = document.text;
  return response;
}

/// Another one whenever the file is another or was written; empty when there is none.
std::string state_of(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return "";
  return cat(info.st_ino, " ", info.st_mtim.tv_sec, ".", info.st_mtim.tv_nsec, " ", info.st_size);
}

/// How the agent of `section` comes in: false when by neither of the ways that are served.
bool let_in(const Json& section, const std::string& server, std::unordered_map<std::string, std::string>& documents,
            const std::function<void(std::string, std::string)>& add_key) {
  if (section.contains("request")) {
    documents[digest_of_url(text_member(section["request"], "metadata_url"))] = server;
    return true;
  }
  if (!section.contains("cfn")) return false;
  add_key(text_member(section["cfn"], "access_key_id"), text_member(section["cfn"], "secret_access_key"));
  return true;
}

/// All of it, durable, or nothing. What a power cut has torn stays a line of its own.
void append_line(const fs::path& path, std::string line) {
  const Fd file = Fd::open(path.string(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  struct stat before {};
  char last = '\n';
  if (::fstat(file.get(), &before) != 0 ||
      (before.st_size > 0 && ::pread(file.get(), &last, 1, before.st_size - 1) != 1))
    throw Error::from_errno("reading", path.string());
  line = cat(last == '\n' ? "" : "\n", line, "\n");
  try {
    write_all(file, line, path.string());
    if (::fdatasync(file.get()) != 0) throw Error::from_errno("writing to", path.string());
  } catch (const Error&) {
    (void)!::ftruncate(file.get(), before.st_size);
    throw;
  }
  if (before.st_size == 0) sync_directory(path.parent_path());
}

void for_each_deployment(const Json& metadata, const std::function<void(const Json&, const Json&)>& use) {
  const Json deployments = metadata.value("deployments", Json::array());
  for (const Json& deployment : deployments) use(deployment, deployment.value("inputs", Json::array()));
}

}  // namespace

/// Takes note of the URL among the inputs by which a deployment is answered.
void CompiledService::expect_signal(Expected expected, const Json& inputs,
                                    std::unordered_map<std::string, Expected>& signals) {
  std::string url;
  expected.method = "POST";
  for (const Json& input : inputs) {
    if (text_member(input, "name") == "deploy_signal_id") url = text_member(input, "value");
    if (text_member(input, "name") == "deploy_signal_verb") expected.method = text_member(input, "value");
  }
  if (!url.empty()) signals[digest_of_url(url)] = std::move(expected);
}

CompiledService::CompiledService(fs::path directory, fs::path signals, const Clock& clock, Logger& log)
    : directory_(std::move(directory)), signals_file_(std::move(signals)), clock_(clock), log_(log), cfn_(*this, log) {
  load();
}

void CompiledService::refresh() {
  const std::string now = state_of(directory_ / "index.json");
  const bool ended = held_.former_until != 0 && held_.former_until <= seconds();
  if (now.empty() || (now == loaded_ && !ended)) return;
  const bool anew = now != loaded_;
  loaded_ = now;  // what can't be read is told once
  try {
    load();
    if (anew) log_.info(cat("serving ", directory_.string(), " as compiled anew"));
  } catch (const Error& error) {
    log_.warning(cat("still serving what ", directory_.string(), " was: ", error.story()));
  }
}

void CompiledService::load() {
  const fs::path index = directory_ / "index.json";
  const Json all = parse_json(read_file(index), index.string()).value_or_throw();
  loaded_ = state_of(index);
  Contents fresh;
  const Json rows = all.value("servers", Json::array());
  for (const Json& row : rows) load_server(row, fresh);
  const std::int64_t now = seconds();
  const std::map<std::string, Server>& before = held_.servers;
  for (auto& [path, server] : fresh.servers) {
    const auto old = before.find(path);
    const bool same = old != before.end() && old->second.document.tag == server.document.tag;
    server.document.modified = same                  ? old->second.document.modified
                               : old == before.end() ? now
                                                     : std::max(now, old->second.document.modified + 1);
  }
  held_ = std::move(fresh);
}

void CompiledService::load_server(const Json& row, Contents& fresh) const {
  Server server;
  server.path = text_member(row, "path");
  server.id = text_member(row, "id");
  const fs::path file = directory_ / text_member(row, "metadata");
  std::string text = read_file(file);
  const Json metadata = parse_json(text, file.string()).value_or_throw();
  std::string tag = hex_digest(HashKind::md5, text);
  server.document = {std::make_shared<const std::string>(std::move(text)), std::move(tag), 0, "application/json"};
  const Json section = metadata.value("os-collect-config", Json::object());
  const auto add_key = [&](const std::string& key, std::string secret) {
    fresh.keys[key] = {server.path, std::move(secret)};
  };
  if (section.contains("cfn")) {
    const Json& cfn = section["cfn"];
    server.stack = text_member(cfn, "stack_name");
    server.resource = text_member(cfn, "path").substr(0, text_member(cfn, "path").rfind('.'));
  }
  if (!let_in(section, server.path, fresh.documents, add_key)) {
    throw Error(ErrorKind::unsupported, cat(file.string(), ": its agent can't poll a compiled directory"))
        .hint("compile with the transport POLL_TEMP_URL or POLL_SERVER_CFN, or make a live stack");
  }
  for_each_deployment(metadata, [&](const Json& deployment, const Json& inputs) {
    expect_signal({server.path, text_member(deployment, "name"), text_member(deployment, "id"), ""}, inputs,
                  fresh.signals);
  });
  if (row.contains("former")) load_former(server, metadata, row["former"], fresh);
  fresh.servers[server.path] = std::move(server);
}

/// Keys of before a rotation, until their time is over.
void CompiledService::load_former(const Server& server, const Json& metadata, const Json& former,
                                  Contents& fresh) const {
  const std::int64_t until = former.value("until", std::int64_t{0});
  if (until <= seconds()) return;
  fresh.former_until = fresh.former_until == 0 ? until : std::min(until, fresh.former_until);
  const auto add_key = [&](const std::string& key, std::string secret) {
    fresh.keys[key] = {server.path, std::move(secret)};
  };
  (void)let_in(former.value("os-collect-config", Json::object()), server.path, fresh.documents, add_key);
  std::map<std::string, Json> by_id;
  for_each_deployment(metadata,
                      [&](const Json& deployment, const Json&) { by_id[text_member(deployment, "id")] = deployment; });
  const Json signals = former.value("signals", Json::array());
  for (const Json& signal : signals) {
    const auto deployment = by_id.find(text_member(signal, "id"));
    if (deployment == by_id.end()) continue;
    Json inputs = Json::array();
    const Json values = signal.value("inputs", Json::object());
    for (const auto& [name, value] : values.items()) inputs.push_back({{"name", name}, {"value", value}});
    expect_signal({server.path, text_member(deployment->second, "name"), deployment->first, ""}, inputs, fresh.signals);
  }
}

std::int64_t CompiledService::seconds() const { return unix_seconds(clock_.wall()); }

namespace {

std::string digest_of(const ServedRequest& request) {
  return digest_of(cat(request.raw_path, request.query.empty() ? "" : "?", request.query));
}

bool is_cfn(const ServedRequest& request) {
  return !request.path.starts_with("/v1/AUTH_") && !request.path.starts_with("/v1/signal/");
}

}  // namespace

/// Only who has a URL to answer at, or a key, has something to say.
Admission CompiledService::admit(const ServedRequest& head) {
  const auto expected = held_.signals.find(digest_of(head));
  if (expected != held_.signals.end() && head.method == expected->second.method) return {};
  if (!is_cfn(head)) return {.refusal = refuse(head)};
  Admission admission = cfn_.admit(head);
  if (!admission.refusal) admission.body_bytes = std::min<std::uint64_t>(admission.body_bytes, 64U << 10U);
  return admission;
}

ServedResponse CompiledService::answer(const ServedRequest& request) {
  const std::string digest = digest_of(request);
  const auto document = held_.documents.find(digest);
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (document != held_.documents.end() && reads)
    return document_response(request, held_.servers.at(document->second).document);
  const auto expected = held_.signals.find(digest);
  if (expected != held_.signals.end() && request.method == expected->second.method) {
    return take_signal(request, expected->second);
  }
  return is_cfn(request) ? cfn_.answer(request) : refuse(request);
}

ServedResponse CompiledService::refuse(const ServedRequest& request) const {
  log_.warning(cat("compiled: refused ", request.method, " ", without_secrets(request.target), " from ", request.peer));
  return refusal();
}

ServedResponse CompiledService::take_signal(const ServedRequest& request, const Expected& expected) {
  ServedResponse response;
  const Result<Json> body = parse_foreign_json(request.body.empty() ? "{}" : request.body, "the signal");
  if (!body || !body->is_object()) {
    response.status = 400;
    response.body = "The signal is not a JSON object\n";
    return response;
  }
  const std::int64_t now = seconds();
  Json line = Json::object();
  line["time"] = iso_time(now);
  line["server"] = expected.server;
  line["deployment"] = expected.deployment;
  line["id"] = expected.id;
  line["signal"] = *body;
  try {
    append_line(signals_file_, format_json(line, {.lossy = true}));
  } catch (const Error& error) {
    log_.error(cat("a signal can't be kept: ", error.story()));
    response.status = 503;
    response.headers = {{"Retry-After", "5"}};
    response.body = "The signal can't be kept; come again\n";
    return response;
  }
  response.status = request.method == "PUT" ? 201 : 200;
  response.principal = "url";
  return response;
}

std::optional<AccessKey> CompiledService::access_key(const std::string& id) const {
  const auto found = held_.keys.find(id);
  if (found == held_.keys.end()) return std::nullopt;
  const Server& server = held_.servers.at(found->second.server);
  return AccessKey{found->second.secret, server.stack, server.resource};
}

std::optional<std::string> CompiledService::stack_id(const std::string& name_or_id, const AccessKey&) const {
  for (const auto& [path, server] : held_.servers) {
    if (server.stack == name_or_id) return server.stack;
  }
  return std::nullopt;
}

std::optional<ResourceDetail> CompiledService::resource(const std::string& stack, const std::string& name) const {
  for (const auto& [path, server] : held_.servers) {
    if (server.stack != stack || server.resource != name) continue;
    return ResourceDetail{"",
                          iso_time(server.document.modified),
                          name,
                          server.document,
                          server.id,
                          "CREATE_COMPLETE",
                          "state changed",
                          "OS::Heat::DeployedServer",
                          "admin",
                          stack,
                          stack};
  }
  return std::nullopt;
}

}  // namespace hearth::metadata::live
