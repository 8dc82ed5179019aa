#include "bootstrap/seed/cloud_world.hpp"

#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/net/url.hpp"
#include "base/sys/file_digest.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::chrono::seconds k_cloud_patience{60};

/// Requests of the log-in, too, trust the cloud's own authority.
class TrustingClient final : public HttpClient {
 public:
  TrustingClient(HttpClient& http, std::string ca_file) : http_(http), ca_file_(std::move(ca_file)) {}
  [[nodiscard]] HttpResponse send(const HttpRequest& request) override {
    HttpRequest own = request;
    own.ca_file = ca_file_;
    return http_.send(own);
  }

 private:
  HttpClient& http_;
  std::string ca_file_;
};

/// {"id": …}, or {"name": …, "domain": …}; of a domain that nobody names it is the first one.
Json named(const Environment& environment, const std::string& what, const char* name_variable) {
  if (const std::string id = variable(environment, cat("OS_", what, "_ID")); !id.empty()) return {{"id", id}};
  const std::string name = variable(environment, name_variable);
  if (name.empty())
    throw Error(ErrorKind::usage, cat(name_variable, " is not set"))
        .hint("Who logs in at the cloud is told by the variables of OpenStack's own client: `. openrc` sets them.");
  const std::string domain_id = variable(environment, cat("OS_", what, "_DOMAIN_ID"));
  const std::string domain_name = variable(environment, cat("OS_", what, "_DOMAIN_NAME"));
  Json domain = {{"id", domain_id.empty() ? "default" : domain_id}};
  if (domain_id.empty() && !domain_name.empty()) domain = {{"name", domain_name}};
  return {{"name", name}, {"domain", domain}};
}

std::string without_version(std::string url, std::string_view version) {
  return url.ends_with(version) ? url.substr(0, url.size() - version.size()) : url;
}

/// What came by TLS names a place without: password or token would go there in the clear.
void require_tls(const std::string& came_by, const std::string& named, const std::string& what) {
  if (!came_by.starts_with("https://") || named.starts_with("https://")) return;
  throw Error(ErrorKind::unsupported, cat("the cloud at ", came_by, " names ", named, " as its ", what,
                                          ": no password and no token goes there in the clear"))
      .hint("Mend what it names (its catalog, keystone's public_endpoint), or name the cloud by http yourself.");
}

/// Of an error of the network: what was asked, and what follows.
Error unanswered(Error error, const std::string& whom) {
  error.during(cat("asking ", whom));
  error.hint(
      "Run the same command again when it answers: it goes on where it was. What it has given already, if anything, "
      "--back returns.");
  return error;
}

}  // namespace

Json cloud_login(const Environment& environment, const std::string& password) {
  const std::string credential = variable(environment, "OS_APPLICATION_CREDENTIAL_ID");
  if (!credential.empty()) {
    const std::string secret = password.empty() ? variable(environment, "OS_APPLICATION_CREDENTIAL_SECRET") : password;
    if (secret.empty()) throw Error(ErrorKind::usage, "OS_APPLICATION_CREDENTIAL_SECRET is not set");
    return {{"identity",
             {{"methods", {"application_credential"}},
              {"application_credential", {{"id", credential}, {"secret", secret}}}}}};
  }
  Json user = named(environment, "USER", "OS_USERNAME");
  user["password"] = password.empty() ? variable(environment, "OS_PASSWORD") : password;
  if (user["password"] == "")
    throw Error(ErrorKind::usage, "OS_PASSWORD is not set").hint("`. openrc` sets it, or: --password-file FILE");
  return {{"identity", {{"methods", {"password"}}, {"password", {{"user", user}}}}},
          {"scope", {{"project", named(environment, "PROJECT", "OS_PROJECT_NAME")}}}};
}

CloudWorld::CloudWorld(Cloud cloud, AskSeed seed, AskSeed stacks, HttpClient& http, Clock& clock,
                       std::function<void(const std::string&)> tell)
    : cloud_(std::move(cloud)),
      seed_(std::move(seed)),
      stacks_(std::move(stacks)),
      http_(http),
      clock_(clock),
      tell_(std::move(tell)) {}

const KeystoneToken& CloudWorld::token() {
  if (token_) return *token_;
  TrustingClient http(http_, cloud_.ca_file);
  try {
    const Deadline deadline = Deadline::after(k_cloud_patience, clock_);
    const std::string found = keystone_v3_url(http, cloud_.auth_url, deadline);
    require_tls(cloud_.auth_url, found, "identity service");
    token_ = keystone_token(http, found, cloud_.login, deadline);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::unsupported) throw;
    if (error.kind() == ErrorKind::io) throw unanswered(error, cat("the identity service at ", cloud_.auth_url));
    if (error.exit_code() == 401)
      throw Error(ErrorKind::input,
                  cat("the cloud at ", cloud_.auth_url, " lets nobody in with this user and password (HTTP 401)"))
          .hint(
              "Look at OS_USERNAME, OS_USER_DOMAIN_NAME, OS_PROJECT_NAME and the password: `openstack token issue` is "
              "to "
              "work with them.");
    throw Error(ErrorKind::input, cat("what answers at ", cloud_.auth_url, " gives no token: ", error.what()))
        .hint("--to is the URL of the cloud's identity service (keystone, v3), as http://192.0.2.1:5000");
  }
  return *token_;
}

bool CloudWorld::has(const std::string& service) {
  try {
    static_cast<void>(public_endpoint(token(), service, cloud_.region));
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found) throw;
    return false;
  }
}

HttpRequest CloudWorld::request(const std::string& service, const std::string& method, const std::string& target) {
  const std::string endpoint =
      without_version(public_endpoint(token(), service, cloud_.region), service == "baremetal" ? "/v1" : "/v2");
  require_tls(cloud_.auth_url, endpoint, cat(service, " service"));
  HttpRequest request;
  request.method = method;
  request.url = parse_url(cat(endpoint, target)).value_or_throw();
  request.headers = {{"X-Auth-Token", token().id}, {"Accept", "application/json"}};
  if (service == "baremetal") request.headers.emplace_back("X-OpenStack-Ironic-API-Version", "1.78");
  request.deadline = Deadline::after(k_cloud_patience, clock_);
  request.ca_file = cloud_.ca_file;
  return request;
}

HttpResponse CloudWorld::sent(const HttpRequest& request, const std::string& service) {
  try {
    HttpResponse response = http_.send(request);
    if (response.status < 500) return response;
    throw Error(ErrorKind::io, cat("HTTP ", response.status, " to ", request.method, " ", request.url.text(), ": ",
                                   one_line(std::string_view(response.body).substr(0, 300))));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::io) throw;
    throw unanswered(error, cat("the cloud's ", service, " service"));
  }
}

GivingWorld::Answer CloudWorld::ask_cloud(const std::string& service, const std::string& method,
                                          const std::string& target, const Json& body) {
  const auto send = [&] {
    HttpRequest asked = request(service, method, target);
    if (!body.is_null()) asked.headers.emplace_back("Content-Type", "application/json");
    if (!body.is_null()) asked.body = format_json(body);
    return sent(asked, service);
  };
  HttpResponse response = send();
  if (response.status == 401) {  // a token holds for an hour, and images may take longer
    token_.reset();
    response = send();
  }
  Answer answer{response.status, Json()};
  if (response.body.empty()) return answer;
  Result<Json> parsed = parse_json(response.body, cat("the answer of the ", service, " service"));
  answer.body = parsed ? std::move(*parsed) : Json(response.body.substr(0, 300));
  return answer;
}

Duration upload_patience(std::uint64_t size) { return std::chrono::minutes(30) + std::chrono::seconds(size >> 20U); }

GivingWorld::Sent CloudWorld::upload(const std::string& id, const fs::path& file) {
  HttpRequest asked = request("image", "PUT", cat("/v2/images/", id, "/file"));
  asked.headers.emplace_back("Content-Type", "application/octet-stream");
  const Fd from = open_regular(file);
  const std::uint64_t size = fs::file_size(file);
  asked.deadline = Deadline::after(upload_patience(size), clock_);
  Hasher sha256(HashKind::sha256);
  Hasher sha512(HashKind::sha512);
  std::string part(std::size_t{1} << 20U, '\0');
  const auto next = [&]() -> std::string_view {
    ssize_t got = 0;
    do got = ::read(from.get(), part.data(), part.size());
    while (got < 0 && errno == EINTR);
    if (got < 0) throw Error::from_errno("reading", file.string());
    const std::string_view bytes(part.data(), static_cast<std::size_t>(got));
    sha256.update(bytes);
    sha512.update(bytes);
    return bytes;
  };
  try {
    WebClient http(clock_, current_environment(), "hearth-seed");
    const HttpResponse response = http.upload(asked, size, next);
    if (!response.ok())
      throw Error(ErrorKind::external, cat("glance answers HTTP ", response.status, " to the image ", file.string(),
                                           ": ", std::string_view(response.body).substr(0, 300)))
          .hint("Look at its log and its disk, and run the same command again.");
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::io) throw;
    throw unanswered(error, "the cloud's image service");
  }
  return {sha256.hex_digest(), sha512.hex_digest()};
}

}  // namespace hearth::bootstrap
