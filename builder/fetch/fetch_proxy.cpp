#include "builder/fetch/fetch_proxy.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "base/net/web_client.hpp"
#include "base/redaction.hpp"
#include "base/text.hpp"
#include "builder/fetch/answer.hpp"
#include "builder/fetch/certificate_authority.hpp"
#include "builder/fetch/exchange.hpp"
#include "builder/fetch/proxy_request.hpp"
#include "builder/fetch/tunnel.hpp"

namespace hearth::builder::fetch {

namespace {

constexpr Duration k_stop_time = std::chrono::seconds(2);
constexpr Duration k_stop_step = std::chrono::milliseconds(10);

}  // namespace

struct FetchProxy::State {
  State(std::shared_ptr<Recording> made, std::shared_ptr<ObjectStore> objects, ProxySetup how)
      : recording(std::move(made)), store(std::move(objects)), setup(std::move(how)) {
    if (setup.intercept) authority = std::make_unique<CertificateAuthority>();
  }

  std::shared_ptr<Recording> recording;
  std::shared_ptr<ObjectStore> store;
  Redactions redactions;
  ProxySetup setup;
  SystemClock clock;
  std::unique_ptr<CertificateAuthority> authority;
  Fd listener;
  std::atomic<bool> stopping{false};
  std::shared_ptr<std::atomic<int>> threads = std::make_shared<std::atomic<int>>(0);
  std::mutex mutex;
  std::set<int> sockets;  ///< of clients, to be shut down
};

namespace {

/// Counts a request while it lives.
class UnderWay {
 public:
  explicit UnderWay(const std::function<void(int)>& count) : count_(count) { add(1); }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
  ~UnderWay() { add(-1); }

 private:
  void add(int change) {
    if (count_) count_(change);
  }
  const std::function<void(int)>& count_;
};

/// One client's connection, from its first request to its end.
template <class State>
class Conversation {
 public:
  Conversation(State& state, Fd socket)
      : state_(state),
        channel_(std::move(socket)),
        upstream_(state.clock, state.setup.environment, "hearth", state.setup.check) {}

  void run() {
    while (const std::optional<ProxyRequest> request = next()) {
      if (!answer(*request)) return;
      if (!request->keep_alive && request->method != "CONNECT") return;  // an HTTP/1.0 CONNECT opens its tunnel, too
    }
  }

 private:
  std::optional<ProxyRequest> next() {
    std::array<char, 16384> buffer{};
    while (!reader_.done()) {
      const std::size_t size = channel_.read(buffer);
      if (size == 0) return std::nullopt;
      reader_.feed({buffer.data(), size});
      if (!reader_.problem().empty()) {
        channel_.write(own_answer(400, reader_.problem()));
        return std::nullopt;
      }
      if (reader_.wants_encouragement()) channel_.write("HTTP/1.1 100 Continue\r\n\r\n");
    }
    return reader_.take();
  }

  /// False when the connection is to be closed.
  bool answer(const ProxyRequest& request) {
    if (request.method == "CONNECT") return connect(request);
    const Result<Url, std::string> url = url_of(request, secure_host_);
    if (!url) {
      const std::string why = without_credentials(url.error());
      state_.recording->refused(without_credentials(request.target), why);
      channel_.write(own_answer(501, why));
      return true;
    }
    const UnderWay under_way(state_.setup.count_request);
    return exchange(request, *url,
                    {*state_.recording, *state_.store, state_.redactions, upstream_, channel_, state_.setup.stall,
                     state_.setup.on_bytes});
  }

  bool connect(const ProxyRequest& request) {
    const Result<Url> host = parse_url(cat("https://", request.target, "/"));
    if (!host || !secure_host_.empty()) {
      channel_.write(own_answer(400, cat("CONNECT to '", request.target, "' is not possible")));
      return false;
    }
    if (state_.authority) {
      ssl_ctx_st& context = state_.authority->context_for(host->host);
      channel_.write("HTTP/1.1 200 Connection established\r\n\r\n");
      try {
        channel_.start_tls(context);
      } catch (const Error& error) {
        state_.recording->refused(cat("https://", host->authority(), "/"), error.what());
        throw;
      }
      secure_host_ = request.target;
      return true;
    }
    pass_through(*host);
    return false;
  }

  /// Not recorded: what is inside can't be seen.
  void pass_through(const Url& host) {
    if (state_.recording->mode() != FetchMode::record) {
      state_.recording->refused(host.text(),
                                "what came by https was not recorded; record it again without --allow-unrecorded");
      channel_.write(own_answer(504, "hearth: what comes by https can't be replayed: it was not recorded"));
      return;
    }
    state_.recording->not_recorded(cat("https://", host.authority(), "/"));
    tunnel(channel_, host, state_.clock, state_.setup.check, state_.setup.on_bytes);
  }

  State& state_;
  Channel channel_;
  WebClient upstream_;
  RequestReader reader_;
  std::string secure_host_;  ///< whose part is played, once a CONNECT has been taken over
};

template <class State>
void serve(const std::shared_ptr<State>& state, Fd socket) {
  const int number = socket.get();
  {
    const std::scoped_lock lock(state->mutex);
    state->sockets.insert(number);
  }
  try {
    Conversation<State>(*state, Fd(::fcntl(number, F_DUPFD_CLOEXEC, 0))).run();
  } catch (const std::exception&) {  // the client is gone, or learns by the closing that something went wrong
  }
  const std::scoped_lock lock(state->mutex);
  state->sockets.erase(number);
}

/// A thread that stop() waits for. It is counted until it has let go of the state: what the state holds (OpenSSL's
/// things) must not outlive the process's own end.
template <class State, class Work>
void start_thread(std::shared_ptr<State> state, Work work) {
  const auto threads = state->threads;
  ++*threads;
  std::thread([threads, state = std::move(state), work = std::move(work)]() mutable {
    work(state);
    state.reset();
    --*threads;
  }).detach();
}

template <class State>
void accept_clients(const std::shared_ptr<State>& state) {
  while (!state->stopping) {
    Fd socket(::accept4(state->listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (!socket) break;
    start_thread(state, [client = std::move(socket)](const auto& kept) mutable { serve(kept, std::move(client)); });
  }
}

}  // namespace

FetchProxy::FetchProxy(std::shared_ptr<Recording> recording, std::shared_ptr<ObjectStore> store, ProxySetup setup)
    : state_(std::make_shared<State>(std::move(recording), std::move(store), std::move(setup))) {}

FetchProxy::~FetchProxy() { stop(); }

std::string FetchProxy::authority() const { return state_->authority ? state_->authority->certificate() : ""; }

void FetchProxy::start(Fd listener) {
  state_->listener = std::move(listener);
  start_thread(state_, [](const auto& state) { accept_clients(state); });
}

void FetchProxy::stop() {
  if (state_->stopping.exchange(true)) return;
  if (state_->listener) ::shutdown(state_->listener.get(), SHUT_RDWR);
  {
    const std::scoped_lock lock(state_->mutex);
    for (const int socket : state_->sockets) ::shutdown(socket, SHUT_RDWR);
  }
  for (Duration waited{}; *state_->threads > 0 && waited < k_stop_time; waited += k_stop_step) {
    state_->clock.sleep(k_stop_step);
  }
}

}  // namespace hearth::builder::fetch
