#include "base/net/http_exchange.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/net/dialer.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

/// Header fields as they go out: setting one again replaces it.
class Fields {
 public:
  void set(const std::string& name, std::string value) {
    std::replace_if(
        value.begin(), value.end(), [](char c) { return c == '\r' || c == '\n'; }, ' ');
    const auto same = [&name](const auto& field) { return to_lower(field.first) == to_lower(name); };
    const auto found = std::find_if(fields_.begin(), fields_.end(), same);
    if (found == fields_.end()) {
      fields_.emplace_back(name, std::move(value));
    } else {
      *found = {name, std::move(value)};
    }
  }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const auto& [name, value] : fields_) text += cat(name, ": ", value, "\r\n");
    return text;
  }

 private:
  HttpHeaders fields_;
};

/// The zone of fe80::1%eth0 means something on this machine only (RFC 6874 section 4).
std::string without_zone(Url url) {
  url.host.erase(std::min(url.host.find('%'), url.host.size()));
  return url.authority();
}

std::string tunnel_target(const Url& url) {
  Url far = url;
  far.host.erase(std::min(far.host.find('%'), far.host.size()));
  return far.has_default_port() ? cat(far.authority(), ":", far.port) : far.authority();
}

}  // namespace

std::string request_head(const HttpRequest& request, const std::optional<Url>& proxy, const std::string& agent) {
  const Url& url = request.url;
  const bool tunnel = request.method == "CONNECT";
  const std::string target = tunnel ? tunnel_target(url) : proxy ? url.text() : url.target();
  Fields fields;
  fields.set("Host", tunnel ? target : without_zone(url));
  fields.set("User-Agent", agent);
  if (!tunnel) {
    fields.set("Accept", "*/*");
    fields.set("Connection", "close");
    if (!url.user_info.empty()) fields.set("Authorization", basic_credentials(url.user_info));
  }
  if (proxy && !proxy->user_info.empty()) fields.set("Proxy-Authorization", basic_credentials(proxy->user_info));
  for (const auto& [name, value] : request.headers) fields.set(name, value);
  const bool has_body = !request.body.empty() || request.method == "POST" || request.method == "PUT";
  if (has_body && !find_header(request.headers, "Content-Length")) {  // else it comes from elsewhere
    fields.set("Content-Length", std::to_string(request.body.size()));
  }
  return cat(request.method, " ", target, " HTTP/1.1\r\n", fields.text(), "\r\n");
}

void read_answer(Connection& connection, HttpReader& reader, const std::function<Deadline()>& until) {
  std::array<char, 16384> buffer{};
  while (!reader.done() && reader.problem().empty()) {
    const std::size_t size = connection.read(buffer, until());
    size == 0 ? reader.finish() : reader.feed({buffer.data(), size});
  }
  if (!reader.problem().empty()) throw Error(ErrorKind::io, reader.problem());
}

}  // namespace hearth
