#include "pxe/dhcp/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/hex.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::pxe::dhcp {

namespace {

/// FNV-1a, 64 bits: to find torn and mixed lines, not to resist anyone.
std::string check_sum(std::string_view text) {
  std::uint64_t sum = 0xcbf29ce484222325U;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(sum >> static_cast<unsigned>(shift)));
  return to_hex(bytes);
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text == "-") return std::string();
  if (text.size() % 2 != 0) return std::nullopt;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += 2) {
    const std::size_t high = digits.find(text[at]);
    const std::size_t low = digits.find(text[at + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
  }
  return out;
}

std::optional<Lease> parse_line(std::string_view line) {
  const std::vector<std::string> words = split(line, ' ');
  if (words.size() != 6 || words[0].size() != 1) return std::nullopt;
  if (check_sum(line.substr(0, line.rfind(' '))) != words[5]) return std::nullopt;
  const std::optional<std::uint64_t> expires = parse_number(words[1]);
  const std::optional<Mac> mac = parse_mac(words[2]);
  const std::optional<Ipv4> address = parse_ipv4(words[3]);
  const std::optional<std::string> hostname = from_hex(words[4]);
  if (!expires || !mac || !address || !hostname || std::string_view("obrd").find(words[0]) == std::string_view::npos)
    return std::nullopt;
  return Lease{*address, *mac, static_cast<Lease::State>(words[0][0]), static_cast<Seconds>(*expires), *hostname};
}

std::string all_lines(const std::vector<Lease>& leases) {
  std::string lines;
  for (const Lease& lease : leases) lines += journal_line(lease);
  return lines;
}

}  // namespace

std::string journal_line(const Lease& lease) {
  const std::string text = cat(static_cast<char>(lease.state), ' ', lease.expires, ' ', to_text(lease.mac), ' ',
                               to_text(lease.address), ' ', lease.hostname.empty() ? "-" : to_hex(lease.hostname));
  return cat(text, ' ', check_sum(text), '\n');
}

JournalContents parse_journal(std::string_view text) {
  JournalContents contents;
  for (const std::string& line : split_lines(text)) {
    const std::optional<Lease> lease = parse_line(line);
    if (lease) {
      contents.leases.push_back(*lease);
    } else {
      ++contents.damaged;
    }
  }
  return contents;
}

JournalWriter::JournalWriter(fs::path path, const std::vector<Lease>& leases) : path_(std::move(path)) {
  replace(all_lines(leases));
  thread_ = std::thread([this] { run(); });
}

JournalWriter::~JournalWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void JournalWriter::append(std::string lines, std::function<void()> then, Failed failed) {
  check(!lines.empty() && lines.back() == '\n', "whole lines are kept", "bytes", lines.size());
  {
    const std::lock_guard lock(mutex_);
    grown_ += lines.size();
    waiting_.lines += lines;
    waiting_.then.push_back(std::move(then));
    waiting_.failed.push_back(std::move(failed));
  }
  wake_.notify_one();
}

void JournalWriter::rewrite(const std::vector<Lease>& leases) {
  const std::lock_guard lock(mutex_);
  waiting_.whole = all_lines(leases);  // it holds what `lines` say, which may be on their way already
  grown_ = 0;
}

std::size_t JournalWriter::grown() const {
  const std::lock_guard lock(mutex_);
  return grown_;
}

std::string JournalWriter::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void JournalWriter::replace(const std::string& contents) {
  RealFileSystem().write(path_, contents, {.mode = 0640});
  file_ = Fd::open(path_.string(), O_WRONLY | O_APPEND);
  durable_ = contents.size();
  suspect_ = false;
}

void JournalWriter::write(const Batch& batch) {
  if (!batch.whole.empty()) return replace(batch.whole + batch.lines);
  if (suspect_) return replace(read_file(path_).substr(0, durable_) + batch.lines);
  suspect_ = true;
  write_all(file_, batch.lines, path_.string());
  if (::fdatasync(file_.get()) != 0) throw Error::from_errno("making durable", path_.string());
  durable_ += batch.lines.size();
  suspect_ = false;
}

void JournalWriter::tell(const Batch& batch, const std::string& failure) {
  check(batch.then.size() == batch.failed.size(), "who waits for lines hears of them, whatever becomes of them", "kept",
        batch.then.size(), "failed", batch.failed.size());
  for (std::size_t at = 0; at < batch.then.size(); ++at) {
    try {
      if (failure.empty()) {
        batch.then[at]();
      } else if (batch.failed[at]) {
        batch.failed[at](failure);
      }
    } catch (const std::exception&) {  // an answer that can't be sent: its client asks again, the others get theirs
      continue;
    }
  }
}

void JournalWriter::run() {
  while (true) {
    Batch batch;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !waiting_.then.empty(); });
      if (waiting_.then.empty()) return;
      batch = std::exchange(waiting_, {});
    }
    std::string failure;
    try {
      write(batch);
    } catch (const std::exception& error) {
      failure = error.what();
    }
    {
      const std::lock_guard lock(mutex_);
      failure_ = failure;
    }
    tell(batch, failure);
  }
}

}  // namespace hearth::pxe::dhcp
