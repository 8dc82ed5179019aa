#include "builder/fetch/step_board.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/error.hpp"

namespace hearth::builder::fetch {

namespace {

constexpr std::size_t k_bytes = 4096;            // of a step's name
constexpr std::size_t k_settings_bytes = 61440;  // of the settings, behind it

constexpr std::size_t k_log_bytes = std::size_t{16} << 20U;  // behind both: a length, then lines
constexpr std::size_t k_log_head = 64;
constexpr std::size_t k_all_bytes = k_bytes + k_settings_bytes + k_log_bytes;
constexpr std::uint64_t k_overflow = ~std::uint64_t{0};

class Announcer final : public Progress {
 public:
  Announcer(std::unique_ptr<Progress> progress, StepBoard& board) : progress_(std::move(progress)), board_(board) {}
  void step_begin(std::string_view name, std::size_t index, std::size_t total) override {
    board_.show(name);
    progress_->step_begin(name, index, total);
  }
  void line(std::string_view text) override { progress_->line(text); }
  void tick() override { progress_->tick(); }
  void step_end(StepOutcome outcome, Duration duration) override { progress_->step_end(outcome, duration); }
  void note(std::string_view text) override { progress_->note(text); }
  void finish(std::string_view summary) override { progress_->finish(summary); }

 private:
  std::unique_ptr<Progress> progress_;
  StepBoard& board_;
};

}  // namespace

StepBoard::StepBoard() {
  void* const memory =
      ::mmap(nullptr, k_all_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw Error::from_errno("sharing", "a page of memory");
  text_ = static_cast<char*>(memory);
}

StepBoard::~StepBoard() { ::munmap(text_, k_all_bytes); }

void StepBoard::show(std::string_view step) {
  const std::size_t size = std::min(step.size(), k_bytes - 1);
  std::memcpy(text_, step.data(), size);
  text_[size] = '\0';
}

std::string StepBoard::shown() const { return {text_, ::strnlen(text_, k_bytes - 1)}; }

void StepBoard::keep_settings(std::string_view lines) {
  if (lines.size() >= k_settings_bytes) throw Error(ErrorKind::input, "the settings for the lock file are too long");
  std::memcpy(text_ + k_bytes, lines.data(), lines.size());
  text_[k_bytes + lines.size()] = '\0';
}

std::string StepBoard::settings() const { return {text_ + k_bytes, ::strnlen(text_ + k_bytes, k_settings_bytes - 1)}; }

void StepBoard::log_fetch(std::string_view line) {
  char* const log = text_ + k_bytes + k_settings_bytes;
  std::atomic_ref<std::uint64_t> size(*reinterpret_cast<std::uint64_t*>(log));
  const std::uint64_t at = size.load();
  if (at == k_overflow) return;
  if (at + line.size() + 1 > k_log_bytes - k_log_head) {
    size.store(k_overflow);
    return;
  }
  char* const end = std::copy(line.begin(), line.end(), log + k_log_head + at);
  *end = '\n';
  size.store(at + line.size() + 1);
}

std::string StepBoard::fetch_log(std::size_t from) const {
  char* const log = text_ + k_bytes + k_settings_bytes;
  const std::uint64_t size = std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(log)).load();
  if (size == k_overflow) throw Error(ErrorKind::input, "there were too many fetches to remember them all");
  return {log + k_log_head + std::min<std::uint64_t>(from, size), log + k_log_head + size};
}

std::unique_ptr<Progress> announce_steps(std::unique_ptr<Progress> progress, StepBoard& board) {
  return std::make_unique<Announcer>(std::move(progress), board);
}

}  // namespace hearth::builder::fetch
