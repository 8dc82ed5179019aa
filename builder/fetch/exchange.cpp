#include "builder/fetch/exchange.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/fetch/answer.hpp"
#include "builder/fetch/variants.hpp"

namespace hearth::builder::fetch {

namespace {

constexpr std::size_t k_largest_body = std::size_t{64} << 30U;
constexpr int k_tries = 3;

/// What a request's fields may tell the server. No Accept-Encoding: an object has one form. No Range: it is whole.
constexpr std::array<const char*, 6> k_passed = {"Accept",       "Content-Encoding", "Content-Type",
                                                 "Git-Protocol", "User-Agent",       "Accept-Language"};
/// The same, where they are credentials: of GitLab, Artifactory, OpenStack and many more, besides HTTP's own.
constexpr std::array<const char*, 8> k_credentials = {"Authorization", "Cookie",    "Private-Token", "Job-Token",
                                                      "Deploy-Token",  "X-Api-Key", "X-Auth-Token",  "X-JFrog-Art-Api"};

/// What an Accept says when it leaves the choice to the server: as good as none. (apt's says text/*.)
bool accepts_anything(const std::string& accept) { return accept.empty() || accept == "*/*" || accept == "text/*"; }

bool shows_credential(const HttpHeaders& headers) {
  return std::any_of(k_credentials.begin(), k_credentials.end(),
                     [&](const char* name) { return find_header(headers, name).has_value(); });
}

/// Of a credential only that there was one: not even its digest is written anywhere.
FetchKey key_of(const ProxyRequest& request, const Url& url, Redactions& redactions) {
  const bool posts = request.method == "POST";
  std::string method =
      posts ? cat("POST:", hex_digest(HashKind::sha256, redactions.posted(request.headers, request.body))) : "GET";
  const std::string accept(trim(joined_header(request.headers, "Accept").value_or("")));
  if (!posts && !accepts_anything(accept)) method += cat(";accept=", percent_encode(accept, "/*,+="));
  if (const auto protocol = find_header(request.headers, "Git-Protocol"); protocol && !posts) {
    method += cat(";git-protocol=", percent_encode(*protocol, "="));  // git's servers don't tell by Vary
  }
  if (shows_credential(request.headers)) method += ";authorized";
  return {method, redactions.url(url)};
}

/// Stores a body as it comes, and shows it to the client at the same time but for its last piece: so a client never
/// has the whole of something that then turns out to be cut short or not what the lock says.
class Relay final : public BodySink {
 public:
  Relay(BlobStore::Writer object, Channel* client, const OnFetchedBytes& on_bytes)
      : object_(std::move(object)), client_(client), on_bytes_(on_bytes) {}

  void begin(const HttpResponse& head) override {
    status_ = head.status;
    headers_ = kept_headers(head.headers);
    const auto length = find_header(head.headers, "Content-Length");
    const auto size = length ? parse_number(*length) : std::nullopt;
    if (!is_lasting(head.status) || !size || may_carry_credential(head.status, headers_, *size)) client_ = nullptr;
    if (client_ != nullptr) to_client(passing_head(status_, headers_, *size));
    begun_ = client_ != nullptr;
  }
  void take(std::string_view bytes) override {
    if (on_bytes_) on_bytes_(bytes.size());
    object_.write(bytes);
    if (client_ == nullptr) return;
    to_client(held_);
    held_ = bytes;
  }

  /// The client has already been sent a part of the answer.
  [[nodiscard]] bool begun() const { return begun_; }
  [[nodiscard]] BlobStore::Writer& object() { return object_; }
  [[nodiscard]] const HttpHeaders& headers() const { return headers_; }
  [[nodiscard]] Fetched fetched(const std::string& sha256) const { return {status_, sha256, object_.size(), headers_}; }
  void finish() { to_client(held_); }

 private:
  /// A client that went away doesn't keep the answer from being stored.
  void to_client(std::string_view bytes) {
    if (client_ == nullptr) return;
    try {
      client_->write(bytes);
    } catch (const Error&) {
      client_ = nullptr;
    }
  }

  BlobStore::Writer object_;
  Channel* client_;
  const OnFetchedBytes& on_bytes_;
  std::string held_;
  int status_ = 0;
  HttpHeaders headers_;
  bool begun_ = false;
};

class Exchange {
 public:
  Exchange(const ProxyRequest& request, const Url& url, const ExchangeParts& parts)
      : request_(request), url_(url), parts_(parts), plain_(key_of(request, url, parts.redactions)) {}

  bool run() {
    key_ = parts_.recording.variant(plain_, request_.headers);
    Decision decision = parts_.recording.decide(key_);
    // Whoever waited for another's answer learns only then that it is for that kind of client.
    if (std::holds_alternative<FromStore>(decision) && parts_.recording.variant(plain_, request_.headers) != key_) {
      return run();
    }
    if (auto* const stored = std::get_if<FromStore>(&decision)) return send(*stored);
    if (const auto* const refused = std::get_if<Refused>(&decision)) {
      return say(504, cat("hearth: ", key_.url, " was not recorded: ", refused->why));
    }
    return ask(std::get<FromNetwork>(decision));
  }

 private:
  bool say(int status, const std::string& text) {
    parts_.channel.write(own_answer(status, text));
    return true;
  }

  bool send(const FromStore& stored) {
    const Answer answer = answer_with(stored.fetched, request_.method, request_.headers);
    parts_.channel.write(answer.head);
    if (answer.size > 0) parts_.channel.send(stored.body, answer.first, answer.size);
    return true;
  }

  HttpRequest request_to_server(const FromNetwork& ask) const {
    HttpRequest request;
    request.method = request_.method == "POST" ? "POST" : "GET";
    request.url = url_;
    request.body = request_.body;
    request.body_limit = k_largest_body;
    request.stall = parts_.stall;
    const auto pass = [&](const char* name) {
      if (const auto value = joined_header(request_.headers, name)) request.headers.emplace_back(name, *value);
    };
    std::for_each(k_passed.begin(), k_passed.end(), pass);
    std::for_each(k_credentials.begin(), k_credentials.end(), pass);
    if (!ask.known) return request;
    if (const auto tag = find_header(ask.known->headers, "etag")) request.headers.emplace_back("If-None-Match", *tag);
    if (const auto time = find_header(ask.known->headers, "last-modified")) {
      request.headers.emplace_back("If-Modified-Since", *time);
    }
    return request;
  }

  bool ask(FromNetwork ask) {
    // Without its object, what is known doesn't help.
    if (ask.known && !parts_.store.open(ask.known->sha256, ask.known->size)) ask.known.reset();
    const bool at_once = request_.method != "HEAD" && !wants_part(request_.headers);
    try {
      for (int tries = 1;; ++tries) {
        Relay relay(parts_.store.blobs().begin(), at_once ? &parts_.channel : nullptr, parts_.on_bytes);
        try {
          return take(ask, relay);
        } catch (const Error& error) {
          if (relay.begun() || error.kind() == ErrorKind::input) throw Broken{error.what(), relay.begun()};
          if (tries == k_tries) throw Broken{error.what(), false};
        } catch (const std::exception& error) {
          throw Broken{error.what(), relay.begun()};
        }
      }
    } catch (const Broken& broken) {
      if (!reported_) parts_.recording.failed(key_, broken.why);
      if (broken.begun) return false;
      return say(502, cat("hearth: ", key_.url, ": ", broken.why));
    }
  }

  struct Broken {
    std::string why;
    bool begun = false;
  };

  bool take(const FromNetwork& ask, Relay& relay) {
    HttpRequest request = request_to_server(ask);
    request.sink = &relay;
    const HttpResponse response = parts_.upstream.send(request);
    if (ask.known && response.status == 304) return take_known(*ask.known);
    if (!is_lasting(response.status)) {
      throw Broken{cat("the server answered ", response.status, " ", response.reason), false};
    }
    if (may_carry_credential(response.status, relay.headers(), relay.object().size())) {
      const std::string body = relay.object().text();
      const auto kept = parts_.redactions.answer(url_, response.status, relay.headers(), body);
      if (kept) return take_redacted(ask, *kept, {response.status, "", 0, relay.headers()}, body);
    }
    const std::string sha256 = relay.object().commit();
    Fetched fetched = relay.fetched(sha256);
    const std::string varied = varied_values(joined_header(response.headers, "Vary").value_or(""), request_.headers);
    if (!varied.empty()) fetched.headers.emplace_back(k_vary, varied);
    std::sort(fetched.headers.begin(), fetched.headers.end());
    reported_ = true;  // whatever it makes of the answer
    parts_.recording.fetched(key_, fetched, ask.expected);
    if (relay.begun()) {
      relay.finish();
      return true;
    }
    return send_kept(ask.expected.value_or(fetched));
  }

  /// The client gets what came, lock and store what is kept of it.
  bool take_redacted(const FromNetwork& ask, const KeptAnswer& kept, Fetched came, const std::string& body) {
    BlobStore::Writer object = parts_.store.blobs().begin();
    object.write(kept.body);
    const std::string sha256 = object.commit();
    reported_ = true;
    parts_.recording.fetched(key_, {came.status, sha256, kept.body.size(), kept.headers}, ask.expected);
    came.size = is_redirect(came.status) ? 0 : body.size();
    const Answer answer = answer_with(came, request_.method, request_.headers);
    parts_.channel.write(cat(answer.head, std::string_view(body).substr(answer.first, answer.size)));
    return true;
  }

  bool take_known(const Fetched& known) {
    reported_ = true;
    parts_.recording.unchanged(key_, known);
    return send_kept(known);
  }

  bool send_kept(const Fetched& fetched) {
    std::optional<Fd> body = parts_.store.open(fetched.sha256, fetched.size);
    if (!body) throw Broken{"its object went away", false};
    return send({fetched, std::move(*body)});
  }

  const ProxyRequest& request_;
  const Url& url_;
  const ExchangeParts& parts_;
  FetchKey plain_;
  FetchKey key_;
  bool reported_ = false;
};

}  // namespace

Result<Url, std::string> url_of(const ProxyRequest& request, const std::string& secure_host) {
  if (request.method != "GET" && request.method != "HEAD" && request.method != "POST") {
    return cat("hearth: ", request.method, " can't be recorded; GET, HEAD and POST can");
  }
  if (request.target.compare(0, 4, "ftp:") == 0) {
    return cat("hearth: ", request.target, ": ftp is not recorded; use the mirror's http address");
  }
  const bool is_path = request.target.substr(0, 1) == "/";
  const bool is_for_proxy = is_path && secure_host.empty();
  const Result<Url> url = parse_url(is_for_proxy ? request.target.substr(1)
                                    : is_path    ? cat("https://", secure_host, request.target)
                                                 : request.target);
  if (url) return *url;
  if (is_for_proxy || request.target.empty()) return std::string("hearth: this is a proxy: ask it for whole URLs");
  return cat("hearth: ", request.target, ": ", url.error().what);
}

bool exchange(const ProxyRequest& request, const Url& url, const ExchangeParts& parts) {
  return Exchange(request, url, parts).run();
}

}  // namespace hearth::builder::fetch
