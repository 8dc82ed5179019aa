#include "agent/deploy/ground/console.hpp"

#include <sys/klog.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cstdio>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::size_t k_kept = std::size_t{256} << 10U;
constexpr std::size_t k_record = 512;
constexpr int k_gzip_window = 15 + 16;  // the largest; 16 asks for gzip's head and end
constexpr int k_usual_memory = 8;

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
  std::string line = cat("[", fixed(seconds, 1), "] ", one_line(replace_all(std::string(text), "\n", " ")), "\n");
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
  z_stream stream{};
  if (::deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, k_gzip_window, k_usual_memory, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    throw Error(ErrorKind::external, "there is no memory to pack the log");
  std::string out(::deflateBound(&stream, tar.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(tar.data());
  stream.avail_in = static_cast<uInt>(tar.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  ::deflate(&stream, Z_FINISH);  // the bound is enough for all of it
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

std::string kernel_messages() {
  std::string text(std::size_t{1} << 20U, 0);
  const int size = ::klogctl(3, text.data(), static_cast<int>(text.size()));  // 3 = read all, clear nothing
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

}  // namespace hearth::agent::deploy
