#include "agent/deploy/console.hpp"

#include <sys/klog.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "agent/deploy/partition/gpt.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::size_t k_kept = std::size_t{256} << 10U;
constexpr std::size_t k_record = 512;

void put32(std::string& out, std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(number >> shift));
}

std::string octal(std::size_t number, int digits) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%0*zo", digits, number);
  return text.data();
}

std::string tar_entry(const LogFile& file) {
  std::string head(k_record, 0);
  const auto set = [&head](std::size_t at, std::string_view text) { head.replace(at, text.size(), text); };
  set(0, std::string_view(file.name).substr(0, 99));
  set(100, "0000644");
  set(108, "0000000");
  set(116, "0000000");
  set(124, octal(file.text.size(), 11));
  set(136, "00000000000");
  set(148, "        ");
  set(156, "0");
  set(257, std::string_view("ustar\00000", 8));
  std::size_t sum = 0;
  for (const char c : head) sum += static_cast<unsigned char>(c);
  set(148, octal(sum, 6) + '\0');
  std::string body = file.text;
  body.resize((body.size() + k_record - 1) / k_record * k_record);
  return head + body;
}

}  // namespace

void Console::say(std::string_view text) {
  const auto seconds = std::chrono::duration<double>(clock_.now() - began_).count();
  std::string line = cat("[", fixed(seconds, 1), "] ", text);
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  line.push_back('\n');
  const std::lock_guard lock(lock_);
  [[maybe_unused]] const ssize_t written = ::write(fd_, line.data(), line.size());
  bytes_ += line.size();
  lines_.push_back(std::move(line));
  while (bytes_ > k_kept) {
    bytes_ -= lines_.front().size();
    lines_.pop_front();
  }
}

std::string Console::log() const {
  const std::lock_guard lock(lock_);
  std::string text;
  for (const std::string& line : lines_) text += line;
  return text;
}

std::string tar_gz(const std::deque<LogFile>& files) {
  std::string tar;
  for (const LogFile& file : files) tar += tar_entry(file);
  tar.append(2 * k_record, 0);
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  for (std::size_t at = 0; at < tar.size(); at += 0xffff) {  // stored blocks (RFC 1951 section 3.2.4)
    const std::string_view part = std::string_view(tar).substr(at, 0xffff);
    const auto size = static_cast<std::uint16_t>(part.size());
    out.push_back(at + part.size() == tar.size() ? '\x01' : '\0');
    put32(out, size | static_cast<std::uint32_t>(static_cast<std::uint16_t>(~size)) << 16U);
    out += part;
  }
  put32(out, crc32_of(tar));
  put32(out, static_cast<std::uint32_t>(tar.size()));
  return out;
}

std::string kernel_messages() {
  std::string text(std::size_t{1} << 20U, 0);
  const int size = ::klogctl(3, text.data(), static_cast<int>(text.size()));  // 3 = read all, clear nothing
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

}  // namespace hearth::agent::deploy
