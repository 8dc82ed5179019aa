#include "simulation/scheduler.hpp"

#include <cxxabi.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <exception>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace hearth::simulation {

namespace {

constexpr std::size_t k_stack = std::size_t{256} << 10U;
constexpr std::size_t k_guard = 4096;
/// A day on which nothing special happened: 2026-01-01.
constexpr std::chrono::seconds k_epoch(1'767'225'600);

/// What the C++ runtime knows of the exceptions of a thread (Itanium C++ ABI, 2.2.2): each task has its own.
struct ExceptionState {
  void* caught = nullptr;
  unsigned uncaught = 0;
};

ExceptionState& exception_state() { return *reinterpret_cast<ExceptionState*>(abi::__cxa_get_globals()); }

void* new_stack() {
  void* const memory =
      ::mmap(nullptr, k_stack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw Error::from_errno("making", "the stack of a task");
  ::mprotect(memory, k_guard, PROT_NONE);
  return memory;
}

}  // namespace

struct Scheduler::Frame {
  ucontext_t context{};
};

struct Scheduler::Task {
  Scheduler* scheduler = nullptr;
  OwnerId owner = 0;
  std::function<void()> body;
  ucontext_t context{};
  void* stack = nullptr;
  ExceptionState exceptions;
  /// How often it was suspended: whoever would wake it from an earlier wait comes too late.
  std::shared_ptr<std::uint64_t> turn = std::make_shared<std::uint64_t>(0);
  bool ending = false;
  bool unwinding = false;
  bool done = false;
  std::exception_ptr failure;
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack = nullptr;
#endif
};

void Bell::ring() {
  rung_ = true;
  if (const auto wake = std::exchange(wake_, nullptr)) wake();
}

WallTime Scheduler::OwnClock::wall() const { return WallTime(k_epoch + now_.time_since_epoch()); }

Scheduler::Scheduler() : clock_(*this), main_(std::make_unique<Frame>()) {
  clock_.now_ = MonotonicTime(std::chrono::hours(1));
  began_ = clock_.now_;
  owners_[k_world];
}

Scheduler::~Scheduler() {
  while (!owners_.empty()) end(std::prev(owners_.end())->first);
  for (void* const stack : stacks_) ::munmap(stack, k_stack);
}

Duration Scheduler::elapsed() const { return clock_.now_ - began_; }

OwnerId Scheduler::make_owner() {
  owners_[next_owner_];
  return next_owner_++;
}

void Scheduler::after(Duration time, OwnerId owner, std::function<void()> action) {
  events_.push({clock_.now_ + std::max<Duration>(time, Duration(0)), next_event_++, owner, std::move(action)});
}

void Scheduler::start(OwnerId owner, std::function<void()> body) {
  const auto found = owners_.find(owner);
  if (found == owners_.end()) return;
  auto task = std::make_unique<Task>();
  task->scheduler = this;
  task->owner = owner;
  task->body = std::move(body);
  Task* const started = task.get();
  found->second.push_back(std::move(task));
  after(Duration(0), owner, [this, started] { resume(*started); });
}

/// The newest first: what an older one waits for is done before it goes itself.
void Scheduler::end(OwnerId owner) {
  const auto found = owners_.find(owner);
  if (found == owners_.end()) return;
  std::list<std::unique_ptr<Task>>& tasks = found->second;
  while (!tasks.empty()) {
    Task& last = *tasks.back();
    last.ending = true;
    if (last.stack == nullptr) {
      tasks.pop_back();  // it has not begun
    } else {
      resume(last);  // takes it out of the list
    }
  }
  owners_.erase(owner);
}

bool Scheduler::is_ending() const { return current_ != nullptr && current_->ending; }

void Scheduler::enter(unsigned high, unsigned low) {
  auto* const task = reinterpret_cast<Task*>((static_cast<std::uintptr_t>(high) << 32U) | low);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
  try {
    task->body();
  } catch (const Ended&) {
    task->ending = true;
  } catch (...) {
    task->failure = std::current_exception();
  }
  task->body = nullptr;
  task->done = true;
  task->scheduler->leave();
}

/// From a task to who resumed it, for good.
void Scheduler::leave() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(nullptr, nullptr, 0);
#endif
  ::setcontext(&main_->context);
}

void Scheduler::resume(Task& task) {
  if (current_ != nullptr) throw Error(ErrorKind::unsupported, "a task is resumed by another one");
  if (task.stack == nullptr) {
    if (stacks_.empty()) stacks_.push_back(new_stack());
    task.stack = stacks_.back();
    stacks_.pop_back();
    ::getcontext(&task.context);
    task.context.uc_stack = {
        .ss_sp = static_cast<char*>(task.stack) + k_guard, .ss_flags = 0, .ss_size = k_stack - k_guard};
    task.context.uc_link = nullptr;
    const auto at = reinterpret_cast<std::uintptr_t>(&task);
    ::makecontext(&task.context, reinterpret_cast<void (*)()>(&Scheduler::enter), 2, static_cast<unsigned>(at >> 32U),
                  static_cast<unsigned>(at));
  }
  current_ = &task;
  std::swap(exception_state(), task.exceptions);
#if defined(__SANITIZE_ADDRESS__)
  void* own = nullptr;
  __sanitizer_start_switch_fiber(&own, static_cast<char*>(task.stack) + k_guard, k_stack - k_guard);
#endif
  ::swapcontext(&main_->context, &task.context);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(own, nullptr, nullptr);
#endif
  std::swap(exception_state(), task.exceptions);
  current_ = nullptr;
  if (!task.done) return;
  *task.turn = 0;
  const std::exception_ptr failure = task.failure;
  stacks_.push_back(task.stack);
  owners_.at(task.owner).remove_if([&task](const auto& one) { return one.get() == &task; });
  if (failure) std::rethrow_exception(failure);
}

/// From the task that runs to the scheduler, until somebody resumes it.
void Scheduler::suspend() {
  Task& task = *current_;
  ++*task.turn;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&task.fake_stack, nullptr, 0);
#endif
  ::swapcontext(&task.context, &main_->context);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(task.fake_stack, nullptr, nullptr);
#endif
  if (task.ending && !std::exchange(task.unwinding, true)) throw Ended();
}

void Scheduler::sleep(Duration time) {
  if (is_ending()) return;
  if (current_ == nullptr) throw Error(ErrorKind::unsupported, "something sleeps that is no task");
  Task* const task = current_;
  after(time, task->owner, [this, task, turn = task->turn, due = *task->turn + 1] {
    if (*turn == due) resume(*task);
  });
  suspend();
}

bool Scheduler::wait(Bell& bell, Duration time) {
  if (is_ending()) return false;
  if (current_ == nullptr) throw Error(ErrorKind::unsupported, "something waits that is no task");
  if (std::exchange(bell.rung_, false)) return true;
  Task* const task = current_;
  bool is_over = false;
  after(time, task->owner, [this, task, turn = task->turn, due = *task->turn + 1, &is_over] {
    if (*turn != due) return;
    is_over = true;
    resume(*task);
  });
  bell.wake_ = [this, task, owner = task->owner, turn = task->turn, due = *task->turn + 1] {
    after(Duration(0), owner, [this, task, turn, due] {
      if (*turn == due) resume(*task);
    });
  };
  suspend();
  bell.wake_ = nullptr;
  return std::exchange(bell.rung_, false) || !is_over;
}

bool Scheduler::step(MonotonicTime until) {
  if (events_.empty() || events_.top().at > until) {
    clock_.now_ = std::max(clock_.now_, until);
    return false;
  }
  const Event next = events_.top();
  events_.pop();
  clock_.now_ = next.at;
  if (owners_.contains(next.owner)) next.action();
  return true;
}

}  // namespace hearth::simulation
