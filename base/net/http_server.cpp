// All of Beast and Asio that serving needs is in this one file: it takes half a minute to compile.
// A Connection is a chain of asynchronous steps: await_head → take_head → read_body → answer → await_head … It lives as
// long as a step of it is pending. While the client keeps it waiting it stands in Places, the longest waiting first.
// While another answer is being made (breathe()), what can't be answered beside it is parked. An answer with a
// stream ends the chain with two steps side by side: parts are written as they come, and reading tells that the client
// has gone; such a client stands in Places, too, so that who looks on makes room for who asks.
#include "base/net/http_server.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <csignal>
#include <list>

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/net/held_client.hpp"
#include "base/net/http_date.hpp"
#include "base/net/http_places.hpp"
#include "base/net/listening.hpp"
#include "base/net/server_tls.hpp"
#include "base/sys/limits.hpp"
#include "base/sys/local_socket.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using ErrorCode = boost::system::error_code;

// Everything runs on one io_context; that the types say so spares a twentieth of the time, against any_io_executor.
using Executor = asio::io_context::executor_type;
using Kind = asio::generic::stream_protocol;  // TCP, or a socket with a path
using Socket = asio::basic_stream_socket<Kind, Executor>;
using Acceptor = asio::basic_socket_acceptor<Kind, Executor>;
using PlainStream = beast::basic_stream<Kind, Executor>;
using Timer =
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Executor>;

/// How long a refused client may go on sending before it is cut off; cutting at once would lose our answer.
constexpr auto k_linger = std::chrono::seconds(2);
constexpr auto k_between_looks = std::chrono::milliseconds(100);  // whether the client of a held answer is there
constexpr auto k_without_descriptors = std::chrono::milliseconds(50);
/// Handlers of one breath; more would let the answer wait that is being made.
constexpr int k_most_turns = 200;

void after(Duration time, const Executor& executor, std::function<void()> action) {
  const auto timer = std::make_shared<Timer>(executor, time);
  timer->async_wait([timer, action = std::move(action)](ErrorCode error) { error ? void() : action(); });
}

/// What connections share.
struct Service {
  HttpServerLimits limits;
  const Clock& clock;
  Logger& log;
  AccessLog* access;
  Places places;
  std::uint64_t held = 0;                       ///< by all bodies that are being read
  bool breathing = false;                       ///< others are served in the midst of an answer
  std::vector<std::function<void()>> parked{};  ///< until that is made
  std::function<void()> unpark{};
  MonotonicTime last_breath{};
  bool stopping = false;
  HandshakeNotes handshakes{clock, log, access};
  std::int64_t date_second = 0;
  std::string date;

  void answer_is_made() const {
    if (!breathing && !parked.empty()) unpark();
  }

  /// The Date header's value, made once a second.
  const std::string& now_text() {
    const auto second = unix_seconds(clock.wall());
    if (second != date_second || date.empty()) date = format_http_date(date_second = second);
    return date;
  }
};

struct Listener {
  std::string name;
  HttpHandler& handler;
  std::unique_ptr<asio::ssl::context> tls;
  Acceptor acceptor;
  bool is_local = false;  ///< has a path in place of an address
  Kind::endpoint peer{};  ///< of the connection that is being accepted
  TlsFiles files{};
  std::string seen{};  ///< of the files: what they were when they were read
};

/// 0 when nothing is to be answered: the client went away or was too slow.
int status_of(const ErrorCode& error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) return 431;
  if (error == http::error::body_limit) return 413;
  if (error == http::error::bad_version) return 505;
  if (error == http::error::end_of_stream || error == http::error::partial_message) return 0;
  return error.category() == http::make_error_code(http::error::bad_method).category() ? 400 : 0;
}

/// A Host field that is missing, there twice, empty (which no http URL's is), or no host (RFC 9112 section 3.2).
template <class Message>
bool has_bad_host(const Message& message) {
  const std::size_t count = message.count(http::field::host);
  if (message.version() < 11 ? count > 1 : count != 1) return true;
  const auto host = message[http::field::host];
  return count == 1 && !can_be_host({host.data(), host.size()});
}

/// Whether the body's end is told in a way that we don't know: its bytes would be taken for the next request (RFC 9112
/// section 6.3). Beast takes what is not chunked last for no body at all.
template <class Message>
bool has_unknown_coding(const Message& message) {
  const std::size_t count = message.count(http::field::transfer_encoding);
  const auto is_chunked = [&] { return beast::iequals(message[http::field::transfer_encoding], "chunked"); };
  return count > 1 || (count == 1 && (message.version() < 11 || !is_chunked()));
}

template <class Stream>
class Connection final : public Place, public std::enable_shared_from_this<Connection<Stream>> {
 public:
  template <class... Tls>
  Connection(Socket socket, Service& service, Listener& listener, Tls&... tls)
      : service_(service),
        listener_(listener),
        stream_(std::move(socket), tls...),
        peer_(peer_text(listener.peer.data(), listener.peer.size())) {
    ErrorCode unknown;
    all_ = service_.places.all.insert(service_.places.all.end(), this);
    if constexpr (!k_is_tls) stream_.socket().non_blocking(true, unknown);  // for write_at_once()
    if (listener.is_local) user_ = user_behind(beast::get_lowest_layer(stream_).socket().native_handle());
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() override {
    stop_waiting();
    let_go();
    service_.places.all.erase(all_);
  }

  void start() {
    if constexpr (k_is_tls) {
      wait_among(service_.places.shaking);
      if (service_.places.shaking.size() > service_.limits.handshakes) cut_longest(service_.places.shaking);
      expire_after(service_.limits.head_time);
      stream_.async_handshake(asio::ssl::stream_base::server, [self = this->shared_from_this()](ErrorCode error) {
        self->stop_waiting();
        const int socket = beast::get_lowest_layer(self->stream_).socket().native_handle();
        if (error && self->service_.handshakes.note(self->peer_, socket, error.message())) self->say_goodbye();
        if (!error) self->await_head(self->service_.limits.head_time);
      });
    } else {
      await_head(service_.limits.head_time);
    }
  }

  void cut() noexcept override {
    let_go();
    held_answer_ = nullptr;
    ErrorCode ignored;
    beast::get_lowest_layer(stream_).socket().close(ignored);
  }
  [[nodiscard]] std::uint64_t held() const override { return held_; }

 private:
  static constexpr bool k_is_tls = !std::is_same_v<Stream, PlainStream>;

  void expire_after(Duration time) {
    beast::get_lowest_layer(stream_).expires_after(std::chrono::duration_cast<std::chrono::milliseconds>(time));
  }
  void wait_among(std::list<Place*>& line) {
    waiting_ = line.insert(line.end(), this);
    line_ = &line;
  }
  void start_waiting() { wait_among(service_.places.waiting); }
  void stop_waiting() {
    if (line_ != nullptr) line_->erase(waiting_);
    line_ = nullptr;
  }

  void await_head(Duration time) {
    if (service_.stopping) return;
    parser_.emplace();
    parser_->header_limit(service_.limits.head_bytes);
    parser_->body_limit(service_.limits.body_bytes);
    start_waiting();
    expire_after(time);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = this->shared_from_this()](ErrorCode error, std::size_t) {
                              self->stop_waiting();
                              self->began_ = self->service_.clock.now();
                              error ? self->refuse(error) : self->take_head();
                            });
  }

  void take_head() {
    const bool is_whole = parser_->is_done();
    const bool bad_host = has_bad_host(parser_->get());
    const bool unknown_coding = has_unknown_coding(parser_->get());
    take_request();
    Result<RequestTarget, std::string> target = parse_request_target(request_.target);
    if (!target || bad_host) return send(plain_response(400), false);
    if (unknown_coding) return send(plain_response(501), false);
    RequestTarget parts = std::move(target).value();
    request_.raw_path = std::move(parts.raw_path);
    request_.path = std::move(parts.path);
    request_.query = std::move(parts.query);
    if (is_whole) return answer();
    if (service_.breathing && !listener_.handler.admits_at_once(request_)) return park(&Connection::admit_body);
    admit_body();
  }

  /// Whoever is refused is so before his body is read.
  void admit_body() {
    try {
      Admission admission = listener_.handler.admit(request_);
      if (admission.refusal) return send(std::move(*admission.refusal), false);
      await_body(std::min(admission.body_bytes, service_.limits.body_bytes));
    } catch (const std::exception& error) {
      send(failed(error), false);
    }
  }

  /// Goes on with `step` when the answer is made in whose midst this is.
  void park(void (Connection::*step)()) {
    beast::get_lowest_layer(stream_).expires_never();
    service_.parked.emplace_back([self = this->shared_from_this(), step] { (*self.*step)(); });
  }

  void await_body(std::uint64_t most) {
    const auto length = parser_->content_length();
    if (length && *length > most) return send(plain_response(413), false);
    parser_->body_limit(most);
    held_ = length ? *length : most;
    service_.held += held_;
    if (!has_room()) return send(plain_response(503), false);
    start_waiting();
    expire_after(service_.limits.body_time);
    if (!beast::iequals(parser_->get()[http::field::expect], "100-continue")) return read_body();
    static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(stream_, asio::buffer(go_on), [self = this->shared_from_this()](ErrorCode error, std::size_t) {
      if (!error) self->read_body();
    });
  }

  /// Whether all bodies that are being read may be; whoever lets us wait for the longest gives way.
  bool has_room() {
    auto& waiting = service_.places.waiting;
    for (auto place = waiting.begin(); place != waiting.end() && service_.held > service_.limits.all_bodies; ++place) {
      if ((*place)->held() > 0 && *place != this) (*place)->cut();
    }
    return service_.held <= service_.limits.all_bodies;
  }

  void let_go() noexcept {
    hearth::check(service_.held >= held_, "a body that goes was counted", "all", service_.held, "its", held_);
    service_.held -= held_;
    held_ = 0;
  }

  void read_body() {
    http::async_read(stream_, buffer_, *parser_, [self = this->shared_from_this()](ErrorCode error, std::size_t) {
      self->stop_waiting();
      if (error) return self->refuse(error);
      self->request_.body = std::move(self->parser_->get().body());
      self->let_go();
      self->answer();
    });
  }

  void refuse(const ErrorCode& error) {
    const int status = status_of(error);
    if (status == 0) return;
    request_ = {};
    request_.method = "-";
    request_.target = "-";
    request_.peer = peer_;
    send(plain_response(status), false);
  }

  /// All but the body.
  void take_request() {
    const auto& message = parser_->get();
    request_ = {};
    request_.method = std::string(message.method_string());
    request_.target = std::string(message.target());
    request_.headers.reserve(8);
    for (const auto& field : message)
      request_.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    request_.peer = peer_;
    request_.user = user_;
    request_.tls = k_is_tls;
    keep_alive_ = message.keep_alive() && !service_.stopping;
  }

  void answer() {
    if (service_.breathing && !listener_.handler.answers_at_once(request_)) return park(&Connection::answer);
    send_answer([this]() -> std::optional<ServedResponse> {
      held_answer_ = service_.breathing ? nullptr : listener_.handler.hold(request_);
      if (!held_answer_) return listener_.handler.answer(request_);
      hold();
      return std::nullopt;
    });
  }

  void send_answer(const std::function<std::optional<ServedResponse>()>& make) {
    std::optional<ServedResponse> response = pause_answer(service_.limits.pause);
    if (!response) try {
        response = make();
      } catch (const std::exception& error) {
        response = failed(error);
      }
    service_.answer_is_made();
    if (!response) return;
    held_answer_ = nullptr;
    send(std::move(*response), keep_alive_);
  }

  void hold() {
    beast::get_lowest_layer(stream_).expires_never();
    const EndOfSending meaning = parser_->get().version() < 11 ? EndOfSending::may_be_half : EndOfSending::is_probed;
    watch_held({beast::get_lowest_layer(stream_).socket().native_handle(), k_is_tls ? EndOfSending::is_gone : meaning});
    held_answer_->start([weak = this->weak_from_this()] {
      if (const auto self = weak.lock()) self->answer_held();
    });
  }

  void answer_held() {
    if (service_.breathing) return park(&Connection::answer_held);
    send_answer([this] { return held_answer_ ? held_answer_->answer() : std::nullopt; });
  }

  /// Nobody is answered who has hung up. What more he has sent may hide that from a read, so none is pending.
  void watch_held(HeldClient client) {
    after(k_between_looks, stream_.get_executor(), [self = this->shared_from_this(), client]() mutable {
      if (!self->held_answer_) return;
      if (client.has_gone()) self->held_answer_ = nullptr;
      self->held_answer_ ? self->watch_held(client) : self->cut();
    });
  }

  ServedResponse failed(const std::exception& error) const {
    const auto* told = dynamic_cast<const Error*>(&error);
    service_.log.error(cat(listener_.name, ": ", request_.method, " ", without_secrets(request_.target), ": ",
                           told == nullptr ? error.what() : told->story()));
    return plain_response(500);
  }

  void send(ServedResponse response, bool keep_alive) {
    response_ = std::move(response);
    head_ = response_head(response_, service_.now_text(), keep_alive && !response_.stream);
    const bool silent = request_.method == "HEAD" || response_.status == 304 || response_.status == 204;
    if (response_.stream) return silent ? cut() : send_stream();
    const std::string_view body = silent ? std::string_view{} : std::string_view(response_.content());
    std::array<asio::const_buffer, 2> parts = {asio::buffer(head_), asio::buffer(body)};
    const ErrorCode error = write_at_once(parts);
    if (error || asio::buffer_size(parts) == 0) return finish(error, keep_alive, body.size());
    expire_after(service_.limits.write_time);
    start_waiting();
    asio::async_write(stream_, parts,
                      [self = this->shared_from_this(), keep_alive, size = body.size()](ErrorCode failed, std::size_t) {
                        self->stop_waiting();
                        self->finish(failed, keep_alive, size);
                      });
  }

  /// Takes off `parts` what the socket's buffer has room for, which is all of a usual answer: no timer, no wait.
  ErrorCode write_at_once(std::array<asio::const_buffer, 2>& parts) {
    ErrorCode error;
    if constexpr (!k_is_tls) {
      std::size_t written = stream_.socket().write_some(parts, error);
      for (asio::const_buffer& part : parts) {
        const std::size_t taken = std::min(written, part.size());
        part += taken;
        written -= taken;
      }
    }
    return error == asio::error::would_block ? ErrorCode{} : error;
  }

  void send_stream() {
    start_waiting();
    watch_client();
    response_.stream->attach(std::make_shared<const std::string>(std::move(head_)), [weak = this->weak_from_this()] {
      if (const auto self = weak.lock()) self->write_parts();
    });
    write_parts();
  }

  /// Whatever he sends is of no interest; that he hangs up is.
  void watch_client() {
    beast::get_lowest_layer(stream_).expires_never();
    stream_.async_read_some(asio::buffer(waste_), [self = this->shared_from_this()](ErrorCode error, std::size_t) {
      error ? self->end_stream() : self->watch_client();
    });
  }

  void write_parts() {
    if (part_ != nullptr) return;
    part_ = response_.stream->take();
    if (part_ == nullptr) return response_.stream->is_open() ? void() : end_stream();
    expire_after(service_.limits.write_time);  // of the write: a read is pending and keeps its own
    asio::async_write(stream_, asio::buffer(*part_),
                      [self = this->shared_from_this()](ErrorCode error, std::size_t size) {
                        self->part_ = nullptr;
                        self->sent_ += size;
                        error ? self->end_stream() : self->write_parts();
                      });
  }

  void end_stream() {
    if (!response_.stream) return;
    const std::shared_ptr<ServedStream> ended = std::move(response_.stream);
    ended->detach();
    stop_waiting();
    record(sent_);
    cut();
  }

  void record(std::size_t size) const {
    if (service_.access == nullptr) return;
    service_.access->record(
        {listener_.name, request_, response_.status, size, service_.clock.now() - began_, response_.principal});
  }

  void finish(const ErrorCode& error, bool keep_alive, std::size_t size) {
    record(size);
    if (error) return;
    if (keep_alive) return await_head(service_.limits.idle_time);
    if (!has_more()) return cut();
    say_goodbye();
  }

  /// Whether the client sent, or may be sending, more than the one request: to close then would cut off our answer.
  bool has_more() {
    if (k_is_tls || request_.method == "-" || buffer_.size() > 0) return true;
    ErrorCode unknown;
    return beast::get_lowest_layer(stream_).socket().available(unknown) > 0 || unknown;
  }

  /// Ends our side, then reads on for a moment, so that the client gets to see what we wrote.
  void say_goodbye() {
    ErrorCode ignored;
    beast::get_lowest_layer(stream_).socket().shutdown(Socket::shutdown_send, ignored);
    expire_after(k_linger);
    discard();
  }

  void discard() {
    beast::get_lowest_layer(stream_).async_read_some(asio::buffer(waste_),
                                                     [self = this->shared_from_this()](ErrorCode error, std::size_t) {
                                                       if (!error && !self->service_.stopping) self->discard();
                                                     });
  }

  Service& service_;
  Listener& listener_;
  Stream stream_;
  std::string peer_;
  std::optional<uid_t> user_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  ServedRequest request_;
  ServedResponse response_;
  std::string head_;
  std::shared_ptr<const std::string> part_;  ///< of a stream: what is being written
  std::size_t sent_ = 0;                     ///< of a stream, with its head
  std::array<char, 512> waste_{};
  MonotonicTime began_{};
  std::uint64_t held_ = 0;
  bool keep_alive_ = false;
  std::list<Place*>* line_ = nullptr;  ///< in which waiting_ is
  std::unique_ptr<HeldAnswer> held_answer_;
  std::list<Place*>::iterator waiting_;
  std::list<Place*>::iterator all_;
};

using PlainConnection = Connection<PlainStream>;
using TlsConnection = Connection<asio::ssl::stream<PlainStream>>;

}  // namespace

struct HttpServer::State {
  Service service;
  asio::io_context io{1};
  std::list<asio::executor_work_guard<Executor>> going_on;  ///< held until it is to stop: see run()
  asio::signal_set signals{io};
  bool takes_signals = false;
  Timer stop_timer{io};
  std::list<Listener> listeners;
  std::list<Timer> timers;
  std::vector<std::function<void()>> at_end;

  void accept(Listener& listener) {
    listener.acceptor.async_accept(listener.peer, [this, &listener](ErrorCode error, Socket socket) {
      if (service.stopping || error == asio::error::operation_aborted) return;
      if (!error) admit(listener, std::move(socket));
      if (error == asio::error::no_descriptors && !make_room()) return accept_later(listener);
      accept(listener);
    });
  }

  /// There is no descriptor, and nobody who could give one back at once: to ask again at once would take all our time.
  void accept_later(Listener& listener) {
    after(k_without_descriptors, io.get_executor(),
          [this, &listener] { service.stopping ? void() : accept(listener); });
  }

  void admit(Listener& listener, Socket socket) {
    if (service.places.all.size() >= service.limits.connections) make_room();
    if (service.places.all.size() >= service.limits.connections + 64) return;  // those being cut are still there
    if (listener.tls) {
      std::make_shared<TlsConnection>(std::move(socket), service, listener, *listener.tls)->start();
    } else {
      std::make_shared<PlainConnection>(std::move(socket), service, listener)->start();
    }
  }

  /// False when nobody keeps us waiting.
  bool make_room() { return cut_longest(service.places.waiting) || cut_longest(service.places.shaking); }

  /// Runs `work` unless that would be in the midst of an answer; then when that is made.
  void run_or_park(std::function<void()> work) {
    if (service.breathing) return service.parked.push_back(std::move(work));
    try {
      work();
    } catch (const std::exception& failure) {
      service.log.error(failure.what());
    }
    service.answer_is_made();
  }

  void breathe() {
    const MonotonicTime begin = service.clock.now();
    if (service.breathing || begin - service.last_breath < service.limits.breath) return;
    service.breathing = true;
    for (int turns = 0; turns < k_most_turns && !io.stopped() && io.poll_one() > 0;) ++turns;
    service.breathing = false;
    service.last_breath = service.clock.now();
  }

  void unpark() {
    if (service.breathing) return;  // another answer has begun; its end is waited for
    for (std::function<void()>& work : std::exchange(service.parked, {})) run_or_park(std::move(work));
  }

  void look_at_certificates() {
    for (Listener& listener : listeners) {
      if (!listener.tls) continue;
      std::string now = state_of(listener.files);
      if (now.empty() || now == listener.seen) continue;
      listener.seen = std::move(now);
      try {
        listener.tls = tls_context(listener.files);
        service.log.info(
            cat(listener.name, ": serves with the certificate that is now in ", listener.files.certificate));
      } catch (const Error& error) {
        service.log.warning(cat(listener.name, ": still serves with the former certificate: ", error.story()));
      }
    }
  }

  /// Those that mean nothing here must not end us either.
  void await_signal() {
    signals.async_wait([this](ErrorCode error, int number) {
      if (error) return;
      if (number == SIGTERM || number == SIGINT) return begin_stop();
      service.log.info(cat("signal ", number, ": certificates are looked at; SIGTERM ends the server"));
      run_or_park([this] { look_at_certificates(); });
      await_signal();
    });
  }

  void tick(Timer& timer, Duration period, const std::function<void()>& action) {
    timer.expires_after(period);
    timer.async_wait([this, &timer, period, action](ErrorCode error) {
      if (error || service.stopping) return;
      if (!service.breathing) run_or_park(action);  // else the next time
      tick(timer, period, action);
    });
  }

  void begin_stop() {
    if (service.stopping) return;
    service.stopping = true;
    ErrorCode ignored;
    signals.cancel(ignored);
    for (Listener& listener : listeners) listener.acceptor.close(ignored);
    for (Timer& timer : timers) timer.cancel();
    for (Place* place : service.places.waiting) place->cut();
    for (Place* place : service.places.shaking) place->cut();
    stop_timer.expires_after(service.limits.stop_time);
    stop_timer.async_wait([this](ErrorCode) { io.stop(); });
    watch_for_end();
  }

  void watch_for_end() {  // the stop timer must not outlive the last connection
    if (service.places.all.empty()) return void(stop_timer.cancel());
    after(std::chrono::milliseconds(10), io.get_executor(), [this] { watch_for_end(); });
  }
};

HttpServer::HttpServer(HttpServerLimits limits, const Clock& clock, Logger& log, AccessLog* access)
    : state_(new State{
          .service = {.limits = limits, .clock = clock, .log = log, .access = access, .places = {}, .date = {}},
          .listeners = {},
          .timers = {}}) {
  state_->service.unpark = [this] { asio::post(state_->io, [this] { state_->unpark(); }); };
  allow_descriptors(limits.connections + 256);
  (void)std::signal(SIGPIPE, SIG_IGN);
}

HttpServer::~HttpServer() {
  state_->service.parked.clear();
  for (Place* place : state_->service.places.all) place->cut();
  state_->listeners.clear();
  state_->timers.clear();
}

std::uint16_t HttpServer::listen(const std::string& name, ListeningSocket bound, HttpHandler& handler,
                                 const TlsFiles* tls) {
  const bool first_tls = tls != nullptr && std::none_of(state_->listeners.begin(), state_->listeners.end(),
                                                        [](const Listener& each) { return each.tls != nullptr; });
  Listener& listener = state_->listeners.emplace_back(
      Listener{name, handler, tls == nullptr ? nullptr : tls_context(*tls), Acceptor(state_->io)});
  if (tls != nullptr) {
    listener.files = *tls;
    listener.seen = state_of(*tls);
  }
  listener.acceptor.assign(Kind(bound.family, 0), bound.socket.release());
  state_->accept(listener);
  if (first_tls) every(state_->service.limits.tls_look, [this] { state_->look_at_certificates(); });
  return bound.port;
}

void HttpServer::listen_locally(const std::string& name, const fs::path& path, HttpHandler& handler) {
  Listener& listener = state_->listeners.emplace_back(Listener{name, handler, nullptr, Acceptor(state_->io)});
  listener.is_local = true;
  listener.acceptor.assign(Kind(AF_UNIX, 0), hearth::listen_locally(path).release());
  state_->accept(listener);
}

void HttpServer::every(Duration period, std::function<void()> action) {
  state_->tick(state_->timers.emplace_back(state_->io), period, action);
}

void HttpServer::take_signals() {
  if (std::exchange(state_->takes_signals, true)) return;
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM}) state_->signals.add(number);
  state_->await_signal();
}

void HttpServer::run(bool signals) {
  if (signals) take_signals();
  do {  // what breathe() runs within a handler, Asio takes for the last there is, now and then
    state_->io.restart();
    state_->going_on.insert(state_->going_on.end(), 64, asio::make_work_guard(state_->io));
    state_->io.run();
  } while (!state_->service.stopping);
  for (const std::function<void()>& action : state_->at_end) action();
}

void HttpServer::at_end(std::function<void()> action) { state_->at_end.push_back(std::move(action)); }
void HttpServer::breathe() { state_->breathe(); }

void HttpServer::when_readable(int descriptor, std::function<void()> action) {
  using Readable = asio::posix::basic_stream_descriptor<Executor>;
  const int own = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (own < 0)
    return after(k_without_descriptors, state_->io.get_executor(),
                 [this, action = std::move(action)] { state_->run_or_park(action); });
  const auto readable = std::make_shared<Readable>(state_->io, own);
  readable->async_wait(Readable::wait_read, [this, readable, action = std::move(action)](ErrorCode error) {
    if (!error) state_->run_or_park(action);
  });
}

void HttpServer::post(std::function<void()> action) {
  asio::post(state_->io, [this, action = std::move(action)]() mutable { state_->run_or_park(std::move(action)); });
}

void HttpServer::stop() {
  asio::post(state_->io, [this] { state_->begin_stop(); });
}

}  // namespace hearth
