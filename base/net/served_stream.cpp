#include "base/net/served_stream.hpp"

#include <utility>

namespace hearth {

bool ServedStream::put(Part part) {
  if (!open_) return false;
  if (waiting_ + part->size() > limit_) {
    parts_.clear();
    close();
    return false;
  }
  waiting_ += part->size();
  parts_.push_back(std::move(part));
  if (wake_) wake_();
  return open_;
}

void ServedStream::close() {
  if (!std::exchange(open_, false)) return;
  if (wake_) wake_();
}

void ServedStream::attach(Part first, std::function<void()> wake) {
  waiting_ += first->size();
  parts_.push_front(std::move(first));
  wake_ = std::move(wake);
}

void ServedStream::detach() {
  open_ = false;
  wake_ = nullptr;
  parts_.clear();
}

ServedStream::Part ServedStream::take() {
  if (parts_.empty()) return nullptr;
  Part next = std::move(parts_.front());
  parts_.pop_front();
  waiting_ -= next->size();
  return next;
}

}  // namespace hearth
