#include "pxe/net/reactor.hpp"

#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <thread>

#include "base/error.hpp"

namespace hearth::pxe {

namespace {

constexpr int k_batch = 128;
constexpr int k_faults_a_second = 10000;  ///< more is no packet's fault: nothing is served any more
constexpr int k_faults_told = 10;         ///< of them
constexpr auto k_rest = std::chrono::milliseconds(20);
constexpr int k_looks = 200;  ///< a third of a microsecond each

Fd checked(int fd, std::string_view operation) {
  if (fd < 0) throw Error::from_errno(operation, "the event loop");
  return Fd(fd);
}

void control(const Fd& epoll, int operation, int fd, std::uint32_t events, Watcher* watcher) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = watcher;
  if (::epoll_ctl(epoll.get(), operation, fd, &event) != 0) throw Error::from_errno("watching", "a descriptor");
}

}  // namespace

Reactor::Reactor(const Clock& clock)
    : clock_(clock),
      epoll_(checked(::epoll_create1(EPOLL_CLOEXEC), "making")),
      wake_(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "making")),
      now_(clock.now()) {
  control(epoll_, EPOLL_CTL_ADD, wake_.get(), EPOLLIN, nullptr);
}

void Reactor::watch(int fd, std::uint32_t events, Watcher& watcher) {
  control(epoll_, EPOLL_CTL_ADD, fd, events, &watcher);
}

void Reactor::change(int fd, std::uint32_t events, Watcher& watcher) {
  control(epoll_, EPOLL_CTL_MOD, fd, events, &watcher);
}

void Reactor::forget(int fd, Watcher& watcher) {
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  std::replace(pending_.begin(), pending_.end(), &watcher, static_cast<Watcher*>(nullptr));
}

void Reactor::at(MonotonicTime when, std::function<void()> action) {
  timers_.push({when, timers_made_++, std::move(action)});
}

template <class Action>
void Reactor::guarded(const Action& action) {
  try {
    action();
  } catch (const std::exception& error) {
    if (!contained_) throw;
    if (now_ - faults_since_ > std::chrono::seconds(1)) {
      faults_since_ = now_;
      faults_ = 0;
    }
    if (++faults_ > k_faults_a_second) throw;
    if (faults_ <= k_faults_told) contained_(error.what());
  }
}

void Reactor::run() {
  while (!stopped_) run_once(std::chrono::hours(1));
}

void Reactor::run_once(Duration patience) {
  now_ = clock_.now();
  MonotonicTime until = now_ + patience;
  if (!timers_.empty()) until = std::min(until, timers_.top().when);
  std::array<epoll_event, k_batch> events{};
  const int count = fetch(events, Deadline(until).poll_timeout(now_));
  if (count < 0 && errno != EINTR) throw Error::from_errno("waiting for", "events");
  if (rests_ && rests_()) return rest();
  now_ = clock_.now();
  pending_.clear();
  for (int at = 0; at < count; ++at) {
    const epoll_event& event = events[static_cast<std::size_t>(at)];
    pending_.push_back(static_cast<Watcher*>(event.data.ptr));
    if (event.data.ptr == nullptr) run_posted();
  }
  for (std::size_t at = 0; at < pending_.size(); ++at) {
    if (pending_[at] != nullptr) guarded([&] { pending_[at]->ready(events[at].events); });
  }
  pending_.clear();
  expire();
}

/// What was fetched is so the next time: only what is handled is taken away.
void Reactor::rest() { std::this_thread::sleep_for(k_rest); }

int Reactor::fetch(std::span<epoll_event> events, int timeout_ms) {
  const auto room = static_cast<int>(events.size());
  if (timeout_ms != 0 && worth_looking_ && worth_looking_()) {
    for (int look = 0; look < k_looks; ++look) {
      ::sched_yield();  // whoever the event is to come from may be waiting for this processor
      const int count = ::epoll_wait(epoll_.get(), events.data(), room, 0);
      if (count != 0) return count;
    }
  }
  return ::epoll_wait(epoll_.get(), events.data(), room, timeout_ms);
}

void Reactor::expire() {
  while (!timers_.empty() && timers_.top().when <= now_) {
    const std::function<void()> action = timers_.top().action;
    timers_.pop();
    guarded(action);
  }
}

void Reactor::run_posted() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto size = ::read(wake_.get(), &count, sizeof count);
  std::vector<std::function<void()>> actions;
  {
    const std::lock_guard lock(mutex_);
    actions.swap(posted_);
  }
  for (const auto& action : actions) at(now_, action);  // behind the events that have been fetched
}

void Reactor::post(std::function<void()> action) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(action));
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
}

void Reactor::stop() noexcept {
  stopped_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
}

}  // namespace hearth::pxe
