#include "simulation/network.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::simulation {

namespace {

constexpr Duration k_longest_exchange = std::chrono::seconds(300);
constexpr Duration k_repeat = std::chrono::milliseconds(200);
constexpr Duration k_repeat_when_cut = std::chrono::seconds(1);

ServedRequest served(const HttpRequest& request, const std::string& from) {
  ServedRequest served{.method = request.method, .target = request.url.target()};
  if (auto target = parse_request_target(served.target)) {
    served.raw_path = target->raw_path;
    served.path = target->path;
    served.query = target->query;
  }
  served.headers = request.headers;
  served.headers.emplace_back("Host", request.url.authority());
  served.body = request.body;
  served.peer = from;
  return served;
}

}  // namespace

struct Network::Exchange {
  std::string from, to;
  std::uint16_t port = 0;
  MonotonicTime until{};
  ServedRequest request;
  Bell bell;
  bool is_taken = false;  ///< somebody has it, and may answer
  bool is_refused = false;
  bool is_broken_off = false;
  std::optional<ServedResponse> response;
};

void Network::cut(const std::string& link, bool is_cut) {
  if (is_cut) {
    cut_.insert(link);
  } else {
    cut_.erase(link);
  }
}

const std::string& Network::link_of(const std::string& address) const {
  const auto found = links_.find(address);
  return found == links_.end() ? address : found->second;
}

bool Network::is_cut(const std::string& one, const std::string& other) const {
  return !cut_.empty() && (cut_.contains(link_of(one)) || cut_.contains(link_of(other)));
}

Duration Network::delay() {
  const Duration base = random_.between(std::chrono::microseconds(100), std::chrono::milliseconds(2));
  return more_ == Duration(0) ? base : base + random_.between(Duration(0), more_);
}

void Network::datagram(const std::string& from, const std::string& to, std::function<void()> arrives) {
  const std::uint64_t copies = random_.percent(loss_) ? 0 : loss_ > 0 && random_.percent(loss_) ? 2 : 1;
  if (is_cut(from, to)) return;
  for (std::uint64_t copy = 0; copy < copies; ++copy) {
    scheduler_.after(delay(), Scheduler::k_world, [this, from, to, arrives] {
      if (!is_cut(from, to)) arrives();
    });
  }
}

void Network::carry(const std::string& from, const std::string& to, MonotonicTime until,
                    std::function<void()> arrives) {
  if (scheduler_.now() >= until) return;
  const bool cut = is_cut(from, to);
  if (cut || random_.percent(loss_)) {
    scheduler_.after(cut ? k_repeat_when_cut : k_repeat, Scheduler::k_world,
                     [this, from, to, until, arrives = std::move(arrives)] { carry(from, to, until, arrives); });
    return;
  }
  scheduler_.after(delay(), Scheduler::k_world, std::move(arrives));
}

void Network::listen(const std::string& host, std::uint16_t port, OwnerId owner, Handler handler) {
  ports_[{host, port}] = {owner, std::move(handler)};
}

void Network::close(const std::string& host, std::uint16_t port) { ports_.erase({host, port}); }

void Network::arrive(const std::shared_ptr<Exchange>& exchange) {
  const auto answer = [this, exchange](auto change) {
    carry(exchange->to, exchange->from, exchange->until, [exchange, change = std::move(change)] {
      change(*exchange);
      exchange->bell.ring();
    });
  };
  const auto port = ports_.find({exchange->to, exchange->port});
  if (port == ports_.end() || !scheduler_.lives(port->second.owner)) {
    const auto host = hosts_.find(exchange->to);
    if (host != hosts_.end() && scheduler_.lives(host->second)) answer([](Exchange& one) { one.is_refused = true; });
    return;
  }
  exchange->is_taken = true;
  port->second.handler(exchange->request, [this, answer](ServedResponse response) {
    if (random_.percent(lost_answers_)) return answer([](Exchange& one) { one.is_broken_off = true; });
    answer([response = std::move(response)](Exchange& one) { one.response = response; });
  });
}

HttpResponse Network::exchange(const std::string& from, const HttpRequest& request) {
  const auto exchange = std::make_shared<Exchange>();
  exchange->from = from;
  exchange->to = request.url.host;
  exchange->port = request.url.port;
  const std::string where = cat(request.method, " ", request.url.masked());
  if (!scheduler_.is_in_task() || scheduler_.is_ending()) throw Error(ErrorKind::io, cat(where, ": this process ends"));
  const Duration longest = request.deadline.is_never()
                               ? k_longest_exchange
                               : std::chrono::milliseconds(request.deadline.poll_timeout(scheduler_.now()));
  exchange->until = scheduler_.now() + longest;
  exchange->request = served(request, from);
  carry(from, exchange->to, exchange->until, [this, exchange] { arrive(exchange); });
  if (!scheduler_.wait(exchange->bell, longest))
    throw Error(ErrorKind::io, exchange->is_taken ? cat("reading the answer of ", request.url.masked(), ": timed out")
                                                  : cat(where, ": timed out"));
  if (exchange->is_refused) throw Error(ErrorKind::io, cat(where, ": connection refused"));
  if (exchange->is_broken_off)
    throw Error(ErrorKind::io, cat(where, ": the server closed the connection before the answer was complete"));
  ServedResponse& response = *exchange->response;
  trace_.note(scheduler_.elapsed(), "http", from, cat(where, " ", response.status));
  return {response.status, std::string(usual_reason(response.status)), response.headers, response.content(),
          request.url};
}

}  // namespace hearth::simulation
