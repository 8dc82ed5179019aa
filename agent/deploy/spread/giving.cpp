#include "agent/deploy/spread/giving.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.hpp"
#include "base/frames/giving.hpp"
#include "base/hmac.hpp"
#include "base/net/http_exchange.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr Duration k_sign_of_life = std::chrono::seconds(1);
constexpr std::string_view k_waits = "Hearth-Waits: 1\r\n";
constexpr std::size_t k_longest_part_head = std::size_t{64} << 10U;
constexpr std::size_t k_read_together = std::size_t{128} << 10U;
constexpr const char* k_no_sense = "it answers what makes no sense";
constexpr std::string_view k_multipart = "multipart/byteranges; boundary=";

/// What is still to be said of one answer.
class Giving {
 public:
  Giving(Shelf& shelf, std::string root, std::vector<Span> spans)
      : shelf_(shelf), root_(std::move(root)), spans_(std::move(spans)) {}

  [[nodiscard]] const std::string& boundary() const { return boundary_; }

  /// The next bytes, which stay until the next call; none: that was all.
  std::string_view next() {
    if (std::exchange(bytes_follow_, false)) {
      ++at_;
      in_part_ = false;
      return bytes_->text();
    }
    if (ended_) return {};
    if (at_ == spans_.size()) return end(cat("\r\n--", boundary_, "--\r\n"));
    const bool begins = !std::exchange(in_part_, true);
    const Shelf::Look look = shelf_.look(root_, spans_[at_], begins ? Duration(0) : k_sign_of_life);
    text_ = begins ? cat("\r\n--", boundary_, "\r\n") : "";
    if (look.found == Shelf::Found::awaited) return text_ += k_waits;
    if (look.found == Shelf::Found::never) return end(cat(text_, "\r\n\r\n--", boundary_, "--\r\n"));
    bytes_ = look.bytes;
    bytes_follow_ = true;
    text_ += cat("Content-Type: application/octet-stream\r\nContent-Range: bytes ", spans_[at_].first, "-",
                 spans_[at_].last, "/*\r\n\r\n");
    return text_;
  }

 private:
  std::string_view end(std::string text) {
    ended_ = true;
    return text_ = std::move(text);
  }

  Shelf& shelf_;
  std::string root_;
  std::vector<Span> spans_;
  std::string boundary_ = random_hex(16);
  std::size_t at_ = 0;
  bool in_part_ = false;
  bool bytes_follow_ = false;
  bool ended_ = false;
  std::string text_;
  Block bytes_;
};

std::string range_of(const std::vector<Span>& spans) {
  std::vector<std::string> ranges;
  ranges.reserve(spans.size());
  for (const Span& span : spans) ranges.push_back(cat(span.first, "-", span.last));
  return cat("bytes=", join(ranges, ","));
}

/// For handlers: whatever else goes wrong with a peer, it is as good as gone.
[[noreturn]] void throw_as_trouble() {
  try {
    throw;
  } catch (const PeerTrouble&) {
    throw;
  } catch (const Error& error) {
    throw PeerTrouble(PeerFault::gone, error.what());
  }
}

HttpRequest question_of(const Peer& peer, const std::string& root, const std::vector<Span>& spans) {
  HttpRequest asked{.url = parse_url(cat(peer.url, frames::k_giving_path, root)).value_or_throw()};
  asked.headers = {{"Authorization", cat("Bearer ", peer.token)}, {"Range", range_of(spans)}};
  return asked;
}

std::optional<Span> parse_span(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = parse_number(text.substr(0, dash));
  const auto last = parse_number(text.substr(dash + 1));
  return first && last && *first <= *last ? std::optional(Span{*first, *last}) : std::nullopt;
}

}  // namespace

std::vector<Span> parse_spans(std::string_view field) {
  constexpr std::string_view unit = "bytes=";
  std::vector<Span> spans;
  if (!field.starts_with(unit)) return {};
  for (const std::string& text : split(field.substr(unit.size()), ',')) {
    const std::optional<Span> span = parse_span(trim(text));
    if (!span || spans.size() == k_most_spans) return {};
    spans.push_back(*span);
  }
  return spans;
}

RestAnswer give_frames(const ServedRequest& request, const std::string& agent_token, Shelf& shelf) {
  const std::string root = request.path.substr(std::min(frames::k_giving_path.size(), request.path.size()));
  const std::string shown = request.header("Authorization").value_or("");
  if (agent_token.empty() || !equal_in_constant_time(shown, cat("Bearer ", frames::giving_token(agent_token, root)))) {
    return ServedResponse{.status = 401, .body = "401 Unauthorized: Token invalid."};
  }
  std::vector<Span> spans = parse_spans(request.header("Range").value_or(""));
  if (spans.empty()) return ServedResponse{.status = 416, .body = "ask for ranges that are frames"};
  const auto giving = std::make_shared<Giving>(shelf, root, std::move(spans));
  RestAnswer answer(ServedResponse{.status = 206});
  answer.headers.emplace_back("Content-Type", cat(k_multipart, giving->boundary()));
  answer.parts = [giving] { return giving->next(); };
  return answer;
}

PeerAnswer::PeerAnswer(Dialer& dialer, const Clock& clock, const Peer& peer, const std::string& root,
                       std::vector<Span> spans, Patience patience)
    : clock_(clock),
      patience_(patience),
      spans_(std::move(spans)),
      connection_(ask(dialer, peer, question_of(peer, root, spans_))) {}

Connection PeerAnswer::reach(Dialer& dialer, const Peer& peer, const Url& url, const Deadline& deadline) try {
  return dialer.dial(url, {.verify = true, .ca_file = "", .pin = peer.pin}, deadline);
} catch (const Error& error) {  // of another kind: it has another key
  throw PeerTrouble(error.kind() == ErrorKind::io ? PeerFault::unreached : PeerFault::gone, error.what());
}

Connection PeerAnswer::ask(Dialer& dialer, const Peer& peer, const HttpRequest& asked) try {
  const Deadline deadline = Deadline::after(patience_.connect, clock_);
  Connection connection = reach(dialer, peer, asked.url, deadline);
  connection.write(request_head(asked, dialer.plain_proxy(asked.url), "hearth-agent"), deadline);
  HttpReader reader({.to_head = true});
  read_answer(connection, reader, [&deadline] { return deadline; });
  const HttpResponse& head = reader.response();
  const std::string type = find_header(head.headers, "Content-Type").value_or("");
  if (head.status != 206 || !type.starts_with(k_multipart)) {
    throw Error(ErrorKind::io, cat("it answers ", head.status, " ", head.reason, " ", type));
  }
  boundary_ = type.substr(k_multipart.size());
  rest_ = reader.rest();
  return connection;
} catch (...) {
  throw_as_trouble();
}

/// False at the end. Of what is still to come at least `wanted` bytes are waited for.
bool PeerAnswer::more(const Deadline& wholly, std::size_t wanted) {
  std::array<char, 16384> buffer{};
  try {
    connection_.gather(std::min(wanted, k_read_together));
    const std::size_t got =
        connection_.read(buffer, Deadline::earlier(Deadline::after(patience_.silence, clock_), wholly));
    rest_.append(buffer.data(), got);
    return got > 0;
  } catch (const Error&) {
    if (wholly.passed(clock_.now())) throw PeerTrouble(PeerFault::slow, "it has had nothing for us for too long");
    throw;
  }
}

std::string PeerAnswer::line(const Deadline& wholly) {
  std::size_t end = 0;
  if (wholly.passed(clock_.now())) throw PeerTrouble(PeerFault::slow, "it has had nothing for us for too long");
  while ((end = rest_.find("\r\n")) == std::string::npos) {
    if (rest_.size() > k_longest_part_head) throw PeerTrouble(PeerFault::wrong, k_no_sense);
    if (!more(wholly, 1)) throw Error(ErrorKind::io, "it has hung up");
  }
  std::string text = rest_.substr(0, end);
  rest_.erase(0, end + 2);
  head_bytes_ += end + 2;
  if (head_bytes_ > k_longest_part_head) throw PeerTrouble(PeerFault::wrong, k_no_sense);
  return text;
}

/// False: there are no more parts.
bool PeerAnswer::read_part_head(const Deadline& wholly, const std::function<bool()>& wanted) {
  std::string text;
  head_bytes_ = 0;
  while ((text = line(wholly)).empty()) {
  }
  if (text == cat("--", boundary_, "--")) return false;
  if (text != cat("--", boundary_)) throw PeerTrouble(PeerFault::wrong, k_no_sense);
  const Span& span = spans_[next_];
  bool found = false;
  while (!(text = line(wholly)).empty()) {
    constexpr std::string_view range = "Content-Range: bytes ";
    if (!text.starts_with(range) && wanted && !wanted()) return false;
    if (!text.starts_with(range)) continue;
    found = parse_span(text.substr(range.size(), text.find('/') - range.size())) == span;
    if (!found) throw PeerTrouble(PeerFault::wrong, "it answers with other ranges than were asked for");
  }
  return found;
}

std::shared_ptr<Buffer> PeerAnswer::next(const std::function<bool()>& wanted) {
  try {
    return read_next(wanted);
  } catch (...) {
    throw_as_trouble();
  }
}

std::shared_ptr<Buffer> PeerAnswer::read_next(const std::function<bool()>& wanted) {
  if (next_ == spans_.size()) return nullptr;
  const std::size_t size = static_cast<std::size_t>(spans_[next_].last - spans_[next_].first + 1);
  if (!read_part_head(Deadline::after(patience_.waiting(size), clock_), wanted)) return nullptr;
  const Deadline wholly = Deadline::after(patience_.coming(size), clock_);
  auto bytes = std::make_shared<Buffer>(size);
  while (bytes->used < size) {
    if (rest_.empty()) {
      if (wanted && !wanted()) return nullptr;  // for another stripe it gave what is wrong, say
      if (wholly.passed(clock_.now())) throw PeerTrouble(PeerFault::slow, "it takes too long");
      if (!more(wholly, size - bytes->used)) throw Error(ErrorKind::io, "it has hung up");
    }
    const std::size_t part = std::min(size - bytes->used, rest_.size());
    std::memcpy(bytes->room().data() + bytes->used, rest_.data(), part);
    bytes->used += part;
    rest_.erase(0, part);
  }
  ++next_;
  return bytes;
}

}  // namespace hearth::agent::deploy
