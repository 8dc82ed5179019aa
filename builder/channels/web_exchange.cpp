#include "builder/channels/web_exchange.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/version.hpp"

namespace hearth::builder::channels {

namespace {

constexpr auto k_patience = std::chrono::seconds(60);
constexpr std::uint64_t k_slowest_line = std::uint64_t{1} << 18U;  // bytes a second

class Intake final : public BodySink {
 public:
  explicit Intake(const Take& take) : take_(take) {}
  void begin(const HttpResponse& head) override { good_ = head.status == 200; }
  void take(std::string_view bytes) override {
    if (good_) take_(bytes);
  }

 private:
  const Take& take_;
  bool good_ = false;
};

}  // namespace

WebExchange::WebExchange(const Environment& environment, const Clock& clock)
    : clock_(clock), client_(clock, environment, "hearth") {}

HttpRequest WebExchange::request(const char* method, Url url, std::uint64_t bytes) const {
  HttpRequest request{.method = method, .url = std::move(url)};
  request.deadline = Deadline::after(k_patience + std::chrono::seconds(bytes / k_slowest_line), clock_);
  request.body_limit = bytes + k_largest_pointer;
  return request;
}

HttpResponse WebExchange::download(HttpRequest request, const Take& take) {
  Intake sink(take);
  request.sink = &sink;
  request.stall = k_patience;
  request.max_redirects = 3;
  return client_.send(request);
}

Error unexpected(const HttpRequest& request, const HttpResponse& answer) {
  Error error(ErrorKind::io,
              cat(request.method, " ", request.url.masked(), " is answered by ", answer.status, " ", answer.reason));
  if (answer.status == 401 || answer.status == 403) {
    error.hint(
        "It wants another user: https://USER:PASSWORD@HOST/… (in HEARTH_CHANNELS, where no list of processes "
        "shows it), or for a registry what podman login keeps.");
  } else if (answer.status == 405 || answer.status == 501) {
    error.hint("The server does not take PUT: it has to be a WebDAV server (nginx: dav_methods PUT MKCOL).");
  } else if (answer.status == 413) {
    error.hint("The server's limit of a body is smaller than the image (nginx: client_max_body_size).");
  }
  return error;
}

bool says_whole(const HttpResponse& answer, const NamedFile& file) {
  return answer.status == 200 && parse_number(find_header(answer.headers, "Content-Length").value_or("")) == file.size;
}

Url joined(Url base, const std::string& more) {
  while (!base.path.empty() && base.path.back() == '/') base.path.pop_back();
  base.path += more;
  return base;
}

}  // namespace hearth::builder::channels
