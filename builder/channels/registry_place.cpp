#include <algorithm>

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/sys/user_places.hpp"
#include "base/text.hpp"
#include "builder/channels/web_exchange.hpp"

namespace hearth::builder::channels {

namespace {

constexpr int k_no_such = 404;
constexpr int k_who_are_you = 401;
constexpr std::size_t k_most_pages = 1000;
constexpr const char* k_manifest_type = "application/vnd.oci.image.manifest.v1+json";
constexpr const char* k_pointer_type = "application/vnd.hearth.channel.v1+json";

NamedFile described(const std::string& bytes) { return {"", hex_digest(HashKind::sha256, bytes), bytes.size()}; }

Json descriptor(const NamedFile& file, const char* type) {
  Json json = {{"mediaType", type}, {"digest", cat("sha256:", file.sha256)}, {"size", file.size}};
  if (!file.path.empty()) json["annotations"] = {{"org.opencontainers.image.title", file.path}};
  return json;
}

/// What podman, skopeo and docker keep of a log-in, as a header's value; empty where there is none.
std::string kept_login(const std::string& authority, const Environment& environment) {
  const auto value = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  };
  std::vector<fs::path> files = {value("REGISTRY_AUTH_FILE")};
  if (const std::string run = value("XDG_RUNTIME_DIR"); !run.empty())
    files.push_back(fs::path(run) / "containers/auth.json");
  files.push_back(home_directory(environment) / ".docker/config.json");
  for (const fs::path& file : files) {
    if (file.empty()) continue;
    const Json json = json_or_null(read_small_file(file).value_or(""));
    const auto login = base64_decode(text_member(object_member(object_member(json, "auths"), authority), "auth"));
    if (login && !login->empty()) return cat("Basic ", base64_encode(*login));
  }
  return "";
}

/// A value of a challenge: `Bearer realm="…",service="…"` (RFC 9110 section 11.6.1).
std::string challenge_value(const std::string& challenge, const std::string& name) {
  const std::string key = cat(name, "=\"");
  const std::size_t begin = challenge.find(key);
  if (begin == std::string::npos) return "";
  const std::size_t end = challenge.find('"', begin + key.size());
  return end == std::string::npos ? "" : challenge.substr(begin + key.size(), end - begin - key.size());
}

/// OCI distribution specification 1.1. An image's files are blobs of the repository PATH/NAME, a channel is a tag
/// there; its manifest has the pointer as its configuration.
class RegistryPlace final : public Place {
 public:
  RegistryPlace(Url url, const Environment& environment, const Clock& clock)
      : url_(std::move(url)), exchange_(environment, clock) {
    prefix_ = url_.path.substr(1);
    while (!prefix_.empty() && prefix_.back() == '/') prefix_.pop_back();
    url_.path = "/v2";
    if (url_.user_info.empty()) login_ = kept_login(url_.authority(), environment);
  }

  [[nodiscard]] std::string text() const override { return cat("oci://", url_.authority(), "/", prefix_); }

  [[nodiscard]] std::optional<std::string> pointer(const Reference& reference) override {
    const std::optional<NamedFile> blob = pointer_blob(reference);
    if (!blob) return std::nullopt;
    if (blob->size > k_largest_pointer)
      throw Error(ErrorKind::input, cat(reference.text(), ": ", text(), " is refused: its pointer is too long"));
    std::string envelope;
    get(reference.name, *blob, [&](std::string_view bytes) {
      if (envelope.size() + bytes.size() <= k_largest_pointer) envelope += bytes;
    });
    if (described(envelope).sha256 != blob->sha256)
      throw Error(ErrorKind::input,
                  cat(reference.text(), ": ", text(), " is refused: its pointer was cut short or altered"));
    return envelope;
  }

  void set_pointer(const Pointer& pointer, const std::string& envelope) override {
    const std::string& name = pointer.reference.name;
    const NamedFile blob = described(envelope);
    bool is_given = false;
    put(name, blob, [&] {
      const std::string_view piece = is_given ? std::string_view() : envelope;
      is_given = true;
      return piece;
    });
    Json layers = Json::array();
    for (const NamedFile& file : pointer.files) layers.push_back(descriptor(file, "application/octet-stream"));
    HttpRequest put = exchange_.request("PUT", at(name, cat("manifests/", pointer.reference.channel)));
    put.headers.emplace_back("Content-Type", k_manifest_type);
    put.body = format_json({{"schemaVersion", 2},
                            {"mediaType", k_manifest_type},
                            {"artifactType", k_pointer_type},
                            {"config", descriptor(blob, k_pointer_type)},
                            {"layers", std::move(layers)}});
    const HttpResponse answer = send(put);
    if (!answer.ok()) throw unexpected(put, answer);
  }

  [[nodiscard]] bool has(const std::string& name, const NamedFile& file) override {
    return says_whole(send(exchange_.request("HEAD", blob_url(name, file))), file);
  }

  void put(const std::string& name, const NamedFile& file, const Pieces& next) override {
    const HttpRequest begin = exchange_.request("POST", at(name, "blobs/uploads/"));
    const HttpResponse begun = send(begin);
    const auto location = find_header(begun.headers, "Location");
    if (begun.status != 202 || !location) throw unexpected(begin, begun);
    Url where = resolve_url(begin.url, *location).value_or_throw();
    if (where.authority() == url_.authority()) where.user_info = url_.user_info;
    where.query += cat(where.query.empty() ? "" : "&", "digest=sha256%3A", file.sha256);
    where.has_query = true;
    HttpRequest put = exchange_.request("PUT", std::move(where), file.size);
    put.headers.emplace_back("Content-Type", "application/octet-stream");
    authorize(put);
    const HttpResponse answer = exchange_.upload(put, file.size, next);
    if (answer.status != 201) throw unexpected(put, answer);
  }

  void get(const std::string& name, const NamedFile& file, const Take& take) override {
    HttpRequest get = exchange_.request("GET", blob_url(name, file), file.size);
    authorize(get);
    HttpResponse answer = exchange_.download(get, take);
    if (answer.status == k_who_are_you && log_in(answer)) {
      authorize(get);
      answer = exchange_.download(get, take);
    }
    if (answer.status == k_no_such)
      throw Error(ErrorKind::not_found, cat("there is no ", get.url.masked(), " (", file.path, ")"));
    if (answer.status != 200) throw unexpected(get, answer);
  }

  [[nodiscard]] std::vector<Reference> list() override {
    std::vector<Reference> references;
    const std::string folder = prefix_.empty() ? "" : cat(prefix_, "/");
    for (const std::string& path : listed(joined(url_, "/_catalog"), "repositories")) {
      if (!path.starts_with(folder) || path.find('/', folder.size()) != std::string::npos) continue;
      const std::string name = path.substr(folder.size());
      for (const std::string& tag : listed(at(name, "tags/list"), "tags")) {
        auto reference = parse_reference(cat(name, "@", tag));
        if (reference && pointer_blob(*reference)) references.push_back(*std::move(reference));
      }
    }
    std::sort(references.begin(), references.end());
    return references;
  }

 private:
  /// The URL of something of an image's repository, whose path has no capitals (a repository's has none).
  [[nodiscard]] Url at(const std::string& name, const std::string& rest) const {
    if (to_lower(name) != name)
      throw Error(ErrorKind::usage, cat("'", name, "' has capitals, and no repository of a registry does"))
          .hint("Publish it under another name: --name NAME.");
    return joined(url_, cat("/", prefix_, prefix_.empty() ? "" : "/", name, "/", rest));
  }
  [[nodiscard]] Url blob_url(const std::string& name, const NamedFile& file) const {
    return at(name, cat("blobs/sha256:", file.sha256));
  }

  /// Nothing where there is no such tag, or it is of something else than a channel.
  [[nodiscard]] std::optional<NamedFile> pointer_blob(const Reference& reference) {
    HttpRequest get = exchange_.request("GET", at(reference.name, cat("manifests/", reference.channel)));
    get.headers.emplace_back("Accept", k_manifest_type);
    get.max_redirects = 3;
    const HttpResponse answer = send(get);
    if (answer.status == k_no_such) return std::nullopt;
    if (answer.status != 200) throw unexpected(get, answer);
    const Json manifest = json_or_null(answer.body);
    const Json& config = object_member(manifest, "config");
    const std::string digest = text_member(config, "digest");
    if (text_member(config, "mediaType") != k_pointer_type || !digest.starts_with("sha256:")) return std::nullopt;
    const Json& size = member_or_null(config, "size");
    return NamedFile{"", digest.substr(7), size.is_number_unsigned() ? size.get<std::uint64_t>() : 0};
  }

  /// All of a list that comes in pages: each names the next one in its Link.
  [[nodiscard]] std::vector<std::string> listed(Url url, const char* member) {
    std::vector<std::string> all;
    for (std::size_t page = 0; page < k_most_pages; ++page) {
      const HttpRequest get = exchange_.request("GET", url);
      const HttpResponse answer = send(get);
      if (answer.status == k_no_such) return all;
      if (answer.status != 200) throw unexpected(get, answer);
      const Json list = json_or_null(answer.body);
      for (const Json& each : list_member(list, member)) {
        if (each.is_string()) all.push_back(each.get<std::string>());
      }
      const std::string link = find_header(answer.headers, "Link").value_or("");
      const std::size_t end = link.find('>');
      if (!link.starts_with('<') || end == std::string::npos) return all;
      Url next = resolve_url(url, std::string_view(link).substr(1, end - 1)).value_or_throw();
      if (next.authority() == url_.authority()) next.user_info = url_.user_info;
      url = std::move(next);
    }
    return all;
  }

  [[nodiscard]] HttpResponse send(HttpRequest request) {
    authorize(request);
    HttpResponse answer = exchange_.send(request);
    if (answer.status != k_who_are_you || !log_in(answer)) return answer;
    authorize(request);
    return exchange_.send(request);
  }

  /// Only to the registry itself: an upload's place may be somebody else's.
  void authorize(HttpRequest& request) const {
    std::erase_if(request.headers, [](const auto& header) { return header.first == "Authorization"; });
    if (request.url.authority() != url_.authority() || request.url.scheme != url_.scheme) return;
    if (!token_.empty()) {
      request.headers.emplace_back("Authorization", cat("Bearer ", token_));
    } else if (!login_.empty()) {
      request.headers.emplace_back("Authorization", login_);
    }
  }

  /// Asks whom the registry names for a token, where it wants one. False when there is nothing that could help.
  [[nodiscard]] bool log_in(const HttpResponse& refused) {
    const std::string challenge = find_header(refused.headers, "WWW-Authenticate").value_or("");
    if (!to_lower(challenge).starts_with("bearer ")) return false;
    Url realm = parse_url(challenge_value(challenge, "realm")).value_or_throw();
    const std::string query = encode_query(
        {{"service", challenge_value(challenge, "service")}, {"scope", challenge_value(challenge, "scope")}});
    realm.query += cat(realm.query.empty() ? "" : "&", query);
    realm.has_query = true;
    if (realm.is_tls() || !url_.is_tls())
      realm.user_info = url_.user_info;  // no password in the clear that came by TLS
    HttpRequest ask = exchange_.request("GET", realm);
    if (realm.user_info.empty() && !login_.empty() && (realm.is_tls() || !url_.is_tls()))
      ask.headers.emplace_back("Authorization", login_);
    const HttpResponse answer = exchange_.send(ask);
    if (!answer.ok()) throw unexpected(ask, answer);
    const Json json = json_or_null(answer.body);
    token_ = text_member(json, "token");
    if (token_.empty()) token_ = text_member(json, "access_token");
    return !token_.empty();
  }

  Url url_;             ///< HOST/v2
  std::string prefix_;  ///< PATH, before an image's name
  std::string login_;
  std::string token_;
  WebExchange exchange_;
};

}  // namespace

std::unique_ptr<Place> registry_place(const std::string& where, const Environment& environment, const Clock& clock) {
  const std::string rest = where.substr(where.find("://") + 3);
  Url url = parse_url(cat("https://", rest)).value_or_throw();
  const bool is_here = url.host == "localhost" || url.host == "::1" || url.host.starts_with("127.");
  if (is_here || where.starts_with("oci+http:")) url = parse_url(cat("http://", rest)).value_or_throw();
  return std::make_unique<RegistryPlace>(std::move(url), environment, clock);
}

}  // namespace hearth::builder::channels
