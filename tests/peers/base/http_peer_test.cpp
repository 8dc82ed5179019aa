// WebClient against servers that were not written with it: Python's http.server, plain and with TLS, honest and
// lying.
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/net/proxy.hpp"
#include "base/net/web_client.hpp"
#include "base/net/web_socket.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "source_directory.hpp"

namespace hearth {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// An authority, a certificate for localhost and 127.0.0.1, and one for another name.
void make_certificates(const fs::path& directory) {
  const SystemClock clock;
  RealRunner runner(clock);
  const auto openssl = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "openssl");
    run_checked(runner, {.argv = words, .cwd = directory});
  };
  openssl({"req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-subj",
           "/CN=Test CA", "-days", "2"});
  for (const auto& [name, alternative] :
       std::map<std::string, std::string>{{"good", "DNS:localhost,IP:127.0.0.1"}, {"wrong", "DNS:other.example"}}) {
    RealFileSystem().write(directory / cat(name, ".ext"), cat("subjectAltName=", alternative, "\n"), {});
    openssl({"req", "-newkey", "rsa:2048", "-nodes", "-keyout", cat(name, ".key"), "-out", cat(name, ".csr"), "-subj",
             "/CN=x"});
    openssl({"x509", "-req", "-in", cat(name, ".csr"), "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out",
             cat(name, ".pem"), "-days", "2", "-extfile", cat(name, ".ext")});
  }
}

/// The servers, one process for the whole test program.
class Servers {
 public:
  Servers() : directory_(TempDir::create("/tmp", "hearth-http-")), input_(Pipe::create()) {
    make_certificates(directory_.path());
    Pipe output = Pipe::create();
    child_.emplace(Child::spawn(
        {.argv = {"python3", cat(HEARTH_SOURCE_DIR, "/tests/peers/base/http_peer.py"), directory_.path().string()},
         .in = input_.read.get(),
         .out = output.write.get()}));
    output.write = Fd();
    std::string text;
    while (text.find("end 0\n") == std::string::npos) {
      std::array<char, 256> buffer{};
      const ssize_t got = ::read(output.read.get(), buffer.data(), buffer.size());
      if (got <= 0) throw Error(ErrorKind::external, "the peer servers did not start");
      text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    for (const std::string& line : split_lines(text)) ports_[split(line, ' ')[0]] = split(line, ' ')[1];
  }
  [[nodiscard]] std::string port(const std::string& name) const { return ports_.at(name); }
  [[nodiscard]] std::string ca() const { return (directory_.path() / "ca.pem").string(); }

 private:
  TempDir directory_;
  Pipe input_;
  std::optional<Child> child_;
  std::map<std::string, std::string> ports_;
};

class HttpPeer : public testing::Test {
 protected:
  static void SetUpTestSuite() { servers = std::make_unique<Servers>(); }
  static void TearDownTestSuite() { servers.reset(); }

  HttpRequest request(const std::string& server, const std::string& path, const std::string& scheme = "http") {
    HttpRequest made;
    made.url = parse_url(cat(scheme, "://127.0.0.1:", servers->port(server), path)).value_or_throw();
    made.deadline = Deadline::after(seconds(10), clock_);
    return made;
  }
  HttpRequest tls_request(const std::string& server, const std::string& path) {
    HttpRequest made = request(server, path, "https");
    made.ca_file = servers->ca();
    return made;
  }
  HttpResponse send(const HttpRequest& made, const Environment& env = {}) {
    return WebClient(clock_, env, "test/1").send(made);
  }
  std::string error_of(const HttpRequest& made, const Environment& env = {}) {
    try {
      const HttpResponse response = send(made, env);
      return cat("no error but ", response.status);
    } catch (const Error& error) {
      return error.what();
    }
  }

  SystemClock clock_;
  static inline std::unique_ptr<Servers> servers;
};

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_F(HttpPeer, ARequestArrivesAsSentAndTheAnswerComesBack) {
  HttpRequest post = request("plain", "/echo");
  post.method = "POST";
  post.headers = {{"Content-Type", "application/json"}, {"X-A", "b"}};
  post.body = "{}";
  const HttpResponse response = send(post);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(
      response.body,
      cat("POST\naccept: */*\nconnection: close\ncontent-length: 2\ncontent-type: application/json\nhost: 127.0.0.1:",
          servers->port("plain"), "\nuser-agent: test/1\nx-a: b\n{}"));
  EXPECT_TRUE(find_header(response.headers, "content-length"));
}

TEST_F(HttpPeer, AnyStatusIsAnAnswer) {
  EXPECT_EQ(send(request("plain", "/404")).status, 404);
  EXPECT_EQ(send(request("plain", "/404")).body, "gone");
  EXPECT_EQ(send(request("plain", "/204")).status, 204);
}

TEST_F(HttpPeer, HeadHasALengthButNoBody) {
  HttpRequest head = request("plain", "/big");
  head.method = "HEAD";
  const HttpResponse response = send(head);
  EXPECT_EQ(response.body, "");
  EXPECT_EQ(find_header(response.headers, "Content-Length"), "5000000");
}

TEST_F(HttpPeer, RedirectsAreFollowedOnlyWhenAsked) {
  HttpRequest get = request("plain", "/redirect");
  EXPECT_EQ(send(get).status, 302);
  get.max_redirects = 3;
  EXPECT_EQ(send(get).url.path, "/echo");
  HttpRequest loop = request("plain", "/loop");
  loop.max_redirects = 3;
  EXPECT_EQ(send(loop).status, 302);
}

TEST_F(HttpPeer, ChunkedAndEndlessBodiesAreRead) {
  EXPECT_EQ(send(request("plain", "/chunked")).body, "one two three");
  EXPECT_EQ(send(request("plain", "/until-close")).body, "no length");
  EXPECT_EQ(send(request("plain", "/big")).body.size(), 5'000'000U);
}

TEST_F(HttpPeer, ABodyShorterThanPromisedIsAnError) {
  EXPECT_TRUE(holds(error_of(request("plain", "/short")), "closed the connection before the answer was complete"));
}

TEST_F(HttpPeer, ABodyOverTheLimitIsAnError) {
  HttpRequest get = request("plain", "/big");
  get.body_limit = 1000;
  EXPECT_TRUE(holds(error_of(get), "longer than allowed")) << error_of(get);
}

TEST_F(HttpPeer, TheDeadlineHoldsForSilentSlowAndDrippingServers) {
  for (const auto& [server, path] :
       std::vector<std::pair<std::string, std::string>>{{"silent", "/"}, {"plain", "/slow"}, {"plain", "/drip"}}) {
    HttpRequest get = request(server, path);
    get.deadline = Deadline::after(milliseconds(400), clock_);
    const MonotonicTime begin = clock_.now();
    EXPECT_TRUE(holds(error_of(get), "timed out")) << path;
    EXPECT_LT(clock_.now() - begin, seconds(2)) << path;
  }
}

TEST_F(HttpPeer, NoServerAndNoHttpAreErrors) {
  EXPECT_TRUE(holds(error_of(request("closed", "/")), "Connection refused")) << error_of(request("closed", "/"));
  EXPECT_TRUE(holds(error_of(request("garbage", "/")), "bad version")) << error_of(request("garbage", "/"));
}

TEST_F(HttpPeer, LocalhostNeedsNoLookUp) {
  HttpRequest get = request("plain", "/echo");
  get.url.host = "localhost";
  EXPECT_EQ(send(get).status, 200);
  get.url.host = "any.localhost";
  EXPECT_EQ(send(get).status, 200);
}

TEST_F(HttpPeer, AnUnknownNameIsAnError) {
  HttpRequest get = request("plain", "/");
  get.url.host = "no-such-name.invalid";
  EXPECT_TRUE(holds(error_of(get), "looking up no-such-name.invalid")) << error_of(get);
}

TEST_F(HttpPeer, TlsWorksByNameAndByAddress) {
  HttpRequest get = tls_request("tls", "/echo");
  EXPECT_EQ(send(get).status, 200);
  get.url.host = "localhost";
  EXPECT_EQ(send(get).status, 200);
  EXPECT_EQ(send(tls_request("tls", "/big")).body.size(), 5'000'000U);
}

TEST_F(HttpPeer, TlsBodiesWithoutLengthAndWithTooLittle) {
  EXPECT_EQ(send(tls_request("tls", "/until-close")).body, "no length");
  EXPECT_TRUE(holds(error_of(tls_request("tls", "/short")), "before the answer was complete"));
}

TEST_F(HttpPeer, AnUntrustedCertificateIsRefused) {
  HttpRequest get = request("tls", "/echo", "https");
  EXPECT_TRUE(holds(error_of(get), "does not hold")) << error_of(get);
  get.verify_tls = false;
  EXPECT_EQ(send(get).status, 200);
}

TEST_F(HttpPeer, ACertificateForAnotherNameIsRefused) {
  HttpRequest get = tls_request("wrong-name", "/echo");
  EXPECT_TRUE(holds(error_of(get), "IP address mismatch")) << error_of(get);
  get.url.host = "localhost";
  EXPECT_TRUE(holds(error_of(get), "hostname mismatch")) << error_of(get);
}

TEST_F(HttpPeer, AnAddressInAnUnusualFormIsCheckedAllTheSame) {
  HttpRequest get = tls_request("wrong-name", "/echo");
  get.url.host = "127.1";
  EXPECT_TRUE(holds(error_of(get), "IP address mismatch")) << error_of(get);
  get = tls_request("tls", "/echo");
  get.url.host = "127.1";
  EXPECT_EQ(send(get).status, 200) << error_of(get);
}

TEST_F(HttpPeer, SslCertFileNamesTheAuthorities) {
  EXPECT_EQ(send(request("tls", "/echo", "https"), {{"SSL_CERT_FILE", servers->ca()}}).status, 200);
}

TEST_F(HttpPeer, AuthoritiesAreReadAgainWhenTheirFileChanges) {
  const TempDir directory = TempDir::create("/tmp", "hearth-ca-");
  const fs::path file = directory.path() / "ca.pem";
  RealFileSystem files;
  WebClient client(clock_, {}, "test/1");
  HttpRequest get = request("tls", "/echo", "https");
  get.ca_file = file.string();
  files.write(file, read_file(fs::path(servers->ca()).parent_path() / "wrong.pem"), {});
  EXPECT_THROW((void)client.send(get), Error);
  files.write(file, read_file(servers->ca()), {});
  EXPECT_EQ(client.send(get).status, 200);
  files.write(file, read_file(fs::path(servers->ca()).parent_path() / "wrong.pem"), {});
  EXPECT_THROW((void)client.send(get), Error);
}

/// The method, the credentials and the body that arrive behind a redirect.
std::string essence_of(const std::string& echoed) {
  std::string text;
  for (const std::string& line : split_lines(echoed)) {
    const bool other =
        line.find(": ") != std::string::npos && !line.starts_with("authorization:") && !line.starts_with("cookie:");
    if (!other) text += cat(line, "\n");
  }
  return text;
}

TEST_F(HttpPeer, RedirectsDoWhatTheyDoWithCurl) {
  RealRunner runner(clock_);
  const TempDir directory = TempDir::create("/tmp", "hearth-curl-");
  RealFileSystem().write(directory.path() / "body", "body", {});
  const std::string here = cat("http://127.0.0.1:", servers->port("plain"));
  for (const std::string& target :
       {std::string("/echo"), cat(here, "/echo"), cat("http://q:r@", here.substr(7), "/echo"),
        cat("http://127.0.0.1:", servers->port("other"), "/echo")}) {
    for (const int status : {301, 302, 303, 307, 308}) {
      for (const std::string method : {"GET", "POST", "PUT"}) {
        const std::string url = cat("http://u:p@", here.substr(7), "/to?", status, "&", target);
        HttpRequest asked = request("plain", "/");
        asked.url = parse_url(url).value_or_throw();
        asked.method = method;
        asked.headers = {{"Cookie", "a=b"}};
        asked.max_redirects = 3;
        if (method != "GET") asked.body = "body";
        std::vector<std::string> curl = {"curl", "-q", "-s", "-L", "-H", "Cookie: a=b", url};
        if (method == "POST") curl.insert(curl.end(), {"--data", "body"});
        if (method == "PUT") curl.insert(curl.end(), {"-T", (directory.path() / "body").string()});
        EXPECT_EQ(essence_of(send(asked).body), essence_of(run_checked(runner, {.argv = curl})))
            << method << " " << status << " " << target;
      }
    }
  }
}

TEST_F(HttpPeer, ProxiesAreChosenAsByCurl) {
  RealRunner runner(clock_);
  for (const auto& [host, excluded] :
       std::vector<std::pair<std::string, std::string>>{{"a.invalid", ""},
                                                        {"a.invalid", "*"},
                                                        {"a.invalid", "b.invalid, a.invalid"},
                                                        {"x.a.invalid", "a.invalid"},
                                                        {"x.a.invalid", ".a.invalid"},
                                                        {"a.invalid", ".a.invalid"},
                                                        {"xa.invalid", "a.invalid"},
                                                        {"A.Invalid", "a.INVALID"},
                                                        {"192.0.2.1", "192.0.3.0/24"},
                                                        {"192.0.2.1", "192.0.2.2"}}) {
    const Environment env = {{"PATH", "/usr/bin:/bin"},
                             {"http_proxy", cat("http://127.0.0.1:", servers->port("plain"))},
                             {"no_proxy", excluded}};
    const std::string url = cat("http://", host, "/x");
    const CommandResult theirs =
        runner.run({.argv = {"curl", "-q", "-s", "--resolve", "*:80:127.0.0.1", url}, .env = env});
    const std::optional<Url> ours = proxy_for(parse_url(url).value_or_throw(), ProxySettings::from(env));
    EXPECT_EQ(ours.has_value(), theirs.out.starts_with("proxied GET http://")) << host << " " << excluded;
  }
}

TEST_F(HttpPeer, AWebSocketGoesThroughAProxyInATunnel) {
  const Deadline deadline = Deadline::after(seconds(10), clock_);
  WebSocketDialer dialer(clock_, {{"http_proxy", cat("http://127.0.0.1:", servers->port("plain"))}}, "test/1");
  Url far = request("websocket", "/talk").url;
  far.host = "far.example";
  EXPECT_EQ(dialer.dial(far, {}, deadline)->receive(deadline), "welcome");
}

TEST_F(HttpPeer, AWebSocketCarriesMessagesBothWays) {
  const Deadline deadline = Deadline::after(seconds(10), clock_);
  WebSocketDialer dialer(clock_, {}, "test/1");
  const std::unique_ptr<MessageStream> stream = dialer.dial(request("websocket", "/talk").url, {}, deadline);
  EXPECT_EQ(stream->receive(deadline), "welcome");  // it came with the handshake
  stream->send("one", deadline);
  EXPECT_EQ(stream->receive(deadline), "echo one");
  stream->send("two", deadline);
  EXPECT_EQ(stream->receive(deadline), "echo two");
  EXPECT_THROW((void)stream->receive(Deadline::after(milliseconds(200), clock_)), Error);
  stream->send("bye", deadline);
  EXPECT_THROW((void)stream->receive(deadline), Error);
}

TEST_F(HttpPeer, WhatIsNoWebSocketIsAnError) {
  const Deadline deadline = Deadline::after(seconds(10), clock_);
  WebSocketDialer dialer(clock_, {}, "test/1");
  for (const auto& [server, path] : std::vector<std::pair<std::string, std::string>>{
           {"websocket", "/elsewhere"}, {"plain", "/echo"}, {"garbage", "/"}, {"closed", "/"}}) {
    EXPECT_THROW((void)dialer.dial(request(server, path).url, {}, deadline), Error) << server;
  }
}

TEST_F(HttpPeer, PlainRequestsGoThroughTheProxyInAbsoluteForm) {
  const Environment env = {{"http_proxy", cat("http://u:p@127.0.0.1:", servers->port("plain"))}};
  HttpRequest get = request("plain", "/x");
  get.url = parse_url("http://far.example/x?y").value_or_throw();
  EXPECT_EQ(send(get, env).body, "proxied GET http://far.example/x?y Basic dTpw");
}

TEST_F(HttpPeer, TlsGoesThroughTheProxyInATunnel) {
  const Environment env = {{"https_proxy", cat("http://127.0.0.1:", servers->port("plain"))}};
  HttpRequest get = tls_request("wrong-name", "/echo");
  get.url.host = "other.example";  // resolved by the proxy, and what the certificate says
  EXPECT_EQ(send(get, env).status, 200) << error_of(get, env);
}

}  // namespace
}  // namespace hearth
