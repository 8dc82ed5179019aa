#include "agent/deploy/image/fetcher.hpp"

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

bool BlockQueue::put(Block block) {
  std::unique_lock lock(lock_);
  changed_.wait(lock, [this] { return blocks_.size() < limit_ || closed_; });
  if (closed_) return false;
  blocks_.push_back(std::move(block));
  changed_.notify_all();
  return true;
}

Block BlockQueue::take() {
  std::unique_lock lock(lock_);
  changed_.wait(lock, [this] { return !blocks_.empty(); });
  Block block = std::move(blocks_.front());
  blocks_.pop_front();
  changed_.notify_all();
  return block;
}

void BlockQueue::close() {
  const std::lock_guard lock(lock_);
  closed_ = true;
  changed_.notify_all();
}

std::thread started(std::function<void()> work) {
  try {
    return std::thread(std::move(work));
  } catch (const std::system_error& problem) {
    throw Error(ErrorKind::io, cat("starting a thread that reads the image: ", problem.what()));
  }
}

Fetcher::Fetcher(ByteSource& source, std::optional<HashKind> hash, std::atomic<std::uint64_t>& fetched)
    : source_(source), fetched_(fetched) {
  if (hash) {
    hasher_.emplace(*hash);
    hashing_ = started([this] { this->hash(); });
  }
  try {
    fetching_ = started([this] { fetch(); });
  } catch (const Error&) {  // the other would wait for ever for what is to be hashed
    to_hash_.put(nullptr);
    if (hashing_.joinable()) hashing_.join();
    throw;
  }
}

Fetcher::~Fetcher() {
  blocks_.close();
  fetching_.join();
  if (hashing_.joinable()) hashing_.join();
}

void Fetcher::fetch() {
  bool open = true;
  try {
    while (open) {
      const auto block = std::make_shared<Buffer>(k_block);
      while (block->used < k_block) {
        const std::size_t got = source_.read(block->room().subspan(block->used));
        if (got == 0) break;
        block->used += got;
        fetched_ += got;
      }
      if (block->used == 0) break;
      if (hasher_) open = to_hash_.put(block);
      open = open && blocks_.put(block);
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  if (hasher_) to_hash_.put(nullptr);
  blocks_.put(nullptr);
}

void Fetcher::hash() {
  while (const Block block = to_hash_.take()) hasher_->update(block->text());
}

Block Fetcher::next() {
  if (ended_) return nullptr;
  Block block = blocks_.take();
  ended_ = block == nullptr;
  if (ended_ && failure_) std::rethrow_exception(failure_);
  return block;
}

std::string Fetcher::digest() {
  while (next()) {
  }
  if (!hashing_.joinable()) return "";
  hashing_.join();
  return hasher_->hex_digest();
}

bool Window::grow() {
  const Block block = fetcher_.next();
  if (!block) return false;
  const std::uint64_t offset = begin_ + kept().size();
  compare(offset, block->text());
  std::erase_if(expected_, [end = offset + block->text().size()](const auto& piece) {
    return piece.first + piece.second.size() <= end;
  });
  kept_.erase(0, std::exchange(front_, 0));
  kept_.append(block->text());
  return true;
}

void Window::drop(std::size_t size) {
  check(size <= kept().size(), "what is dropped is there", "size", size, "kept", kept().size());
  front_ += size;
  begin_ += size;
}

std::string_view Window::peek(std::size_t size) {
  while (kept().size() < size && grow()) {
  }
  return kept().substr(0, size);
}

std::string_view Window::at(std::uint64_t offset, std::size_t size) {
  check(offset >= begin_, "a window goes forwards", "offset", offset, "begin", begin_);
  while (offset > begin_ + kept().size()) {
    drop(kept().size());
    if (!grow()) throw Error(ErrorKind::input, "the image ends too early");
  }
  drop(static_cast<std::size_t>(offset - begin_));
  const std::string_view bytes = peek(size);
  if (bytes.size() < size) throw Error(ErrorKind::input, "the image ends too early");
  return bytes;
}

std::shared_ptr<Buffer> Window::take_some(std::size_t size) {
  const std::string_view bytes = peek(size);
  if (bytes.empty()) return nullptr;
  auto taken = std::make_shared<Buffer>(bytes.size());
  std::memcpy(taken->room().data(), bytes.data(), bytes.size());
  taken->used = bytes.size();
  drop(bytes.size());
  return taken;
}

std::shared_ptr<Buffer> Window::take(std::size_t size) {
  auto taken = take_some(size);
  if (!taken || taken->used < size) throw Error(ErrorKind::input, "the image ends too early");
  return taken;
}

std::string Window::next() {
  if (kept().empty() && !grow()) return {};
  std::string bytes(kept());
  drop(bytes.size());
  return bytes;
}

void Window::compare(std::uint64_t offset, std::string_view bytes) const {
  for (const auto& [begin, piece] : expected_) {
    if (begin >= offset + bytes.size() || begin + piece.size() <= offset) continue;
    const std::uint64_t from = std::max(begin, offset);
    const std::uint64_t size = std::min(begin + piece.size(), offset + bytes.size()) - from;
    const std::string_view asked = std::string_view(piece).substr(static_cast<std::size_t>(from - begin));
    const std::string_view whole = bytes.substr(static_cast<std::size_t>(from - offset));
    if (asked.substr(0, static_cast<std::size_t>(size)) != whole.substr(0, static_cast<std::size_t>(size))) {
      throw Error(ErrorKind::input, cat("the server answered a request for ", piece.size(), " bytes from byte ", begin,
                                        " with others than the file has there"))
          .hint("Something between this machine and the server changes answers, or the file was replaced meanwhile.");
    }
  }
}

void Window::expect(std::uint64_t offset, std::string bytes) {
  if (offset < begin_) throw Error(ErrorKind::input, "a part of the image can't be compared any more");
  const std::uint64_t end = offset + bytes.size();
  const auto at = expected_.emplace(offset, std::move(bytes));
  compare(begin_, kept());
  if (end <= begin_ + kept().size()) expected_.erase(at);
}

void Window::finish() {
  do {
    drop(kept().size());
  } while (grow());
  if (!expected_.empty()) throw Error(ErrorKind::input, "the image ends too early");
}

}  // namespace hearth::agent::deploy
