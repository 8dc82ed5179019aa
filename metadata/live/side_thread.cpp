#include "metadata/live/side_thread.hpp"

#include <utility>

namespace hearth::metadata::live {

namespace {

thread_local SideThread* own = nullptr;

/// No Error: nobody in between is to take it for something that a template did.
struct Ended {};

}  // namespace

SideThread::SideThread(std::function<void()> work, std::function<void()> wake)
    : wake_(std::move(wake)), thread_([this, work = std::move(work)] { run(work); }) {}

SideThread::~SideThread() {
  {
    const std::lock_guard<std::mutex> lock(guard_);
    has_to_end_ = true;
    turn_ = Turn::own;
  }
  turned_.notify_all();
  thread_.join();
}

void SideThread::run(const std::function<void()>& work) {
  own = this;
  try {
    std::unique_lock<std::mutex> lock(guard_);
    turned_.wait(lock, [this] { return turn_ == Turn::own; });
    lock.unlock();
    end_if_wanted();
    work();
  } catch (const Ended&) {
  } catch (...) {
    thrown_ = std::current_exception();
  }
  const std::lock_guard<std::mutex> lock(guard_);
  ended_ = true;
  give_back();
}

/// With the lock.
void SideThread::give_back() {
  turn_ = Turn::maker;
  turned_.notify_all();
}

bool SideThread::go_on() {
  std::unique_lock<std::mutex> lock(guard_);
  if (!ended_ && (!waits_ || turn_ == Turn::own)) return false;
  if (!ended_) {
    turn_ = Turn::own;
    turned_.notify_all();
    turned_.wait(lock, [this] { return turn_ == Turn::maker; });
  }
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  return ended_;
}

void SideThread::end_if_wanted() {
  const std::lock_guard<std::mutex> lock(guard_);
  if (has_to_end_) throw Ended{};
}

void SideThread::do_beside(const std::function<void()>& work) {
  {
    const std::lock_guard<std::mutex> lock(guard_);
    waits_ = false;
    if (!has_to_end_) give_back();
  }
  is_beside_ = true;
  std::exception_ptr thrown;
  try {
    work();
  } catch (...) {
    thrown = std::current_exception();
  }
  is_beside_ = false;
  {  // with the lock it wakes, so that whoever finds it waiting finds it done with that
    std::unique_lock<std::mutex> lock(guard_);
    waits_ = true;
    wake_();
    turned_.wait(lock, [this] { return turn_ == Turn::own; });
  }
  end_if_wanted();
  if (thrown) std::rethrow_exception(thrown);
}

bool SideThread::rests() {
  const std::lock_guard<std::mutex> lock(guard_);
  has_to_rest_ = true;
  return is_resting_ || waits_ || ended_;
}

void SideThread::let_go() {
  const std::lock_guard<std::mutex> lock(guard_);
  has_to_rest_ = false;
  turned_.notify_all();
}

void SideThread::breathe_beside() {
  {
    std::unique_lock<std::mutex> lock(guard_);
    if (has_to_rest_ && !has_to_end_) {
      is_resting_ = true;
      wake_();
      turned_.wait(lock, [this] { return !has_to_rest_ || has_to_end_; });
      is_resting_ = false;
    }
  }
  end_if_wanted();
}

bool SideThread::is_here() { return own != nullptr && !own->is_beside_; }
bool SideThread::is_beside() { return own != nullptr && own->is_beside_; }

void SideThread::beside(const std::function<void()>& work) { is_here() ? own->do_beside(work) : work(); }

void SideThread::breathe() {
  if (is_beside()) own->breathe_beside();
}

}  // namespace hearth::metadata::live
