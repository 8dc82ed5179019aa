#include "builder/fetch/step_board.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace hearth::builder::fetch {

namespace {

constexpr std::size_t k_bytes = 4096;            // of a step's name
constexpr std::size_t k_settings_bytes = 61440;  // of the settings, behind it

constexpr std::size_t k_log_bytes = std::size_t{16} << 20U;  // behind both: a head, then lines
constexpr std::size_t k_all_bytes = k_bytes + k_settings_bytes + k_log_bytes;

class Announcer final : public Progress {
 public:
  Announcer(std::unique_ptr<Progress> progress, StepBoard& board) : progress_(std::move(progress)), board_(board) {}
  void step_begin(std::string_view name, std::size_t index, std::size_t total) override {
    board_.show(name);
    progress_->step_begin(name, index, total);
  }
  void line(std::string_view text) override {
    progress_->fetched(board_.fetched());
    progress_->line(text);
  }
  void tick() override {
    progress_->fetched(board_.fetched());
    progress_->tick();
  }
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
  const std::uint64_t at = log_head().size.load();
  if (log_overflowed() || at + line.size() + 1 > k_log_bytes - sizeof(LogHead)) {
    log_head().overflowed.store(true);
    return;
  }
  char* const end = std::copy(line.begin(), line.end(), log_text() + at);
  *end = '\n';
  log_head().size.store(at + line.size() + 1);
}

std::string StepBoard::fetch_log(std::size_t from) const {
  const std::uint64_t size = log_head().size.load();
  return {log_text() + std::min<std::uint64_t>(from, size), log_text() + size};
}

bool StepBoard::log_overflowed() const { return log_head().overflowed.load(); }

void StepBoard::count_request(int change) { log_head().under_way += change; }

int StepBoard::requests_under_way() const { return log_head().under_way; }

void StepBoard::count_fetched(std::uint64_t bytes) { log_head().fetched += bytes; }

std::uint64_t StepBoard::fetched() const { return log_head().fetched; }

StepBoard::LogHead& StepBoard::log_head() const {
  return *reinterpret_cast<LogHead*>(text_ + k_bytes + k_settings_bytes);
}

char* StepBoard::log_text() const { return text_ + k_bytes + k_settings_bytes + sizeof(LogHead); }

std::unique_ptr<Progress> announce_steps(std::unique_ptr<Progress> progress, StepBoard& board) {
  return std::make_unique<Announcer>(std::move(progress), board);
}

}  // namespace hearth::builder::fetch
