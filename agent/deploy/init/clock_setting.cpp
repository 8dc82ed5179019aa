#include "agent/deploy/init/clock_setting.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "base/byte_order.hpp"
#include "base/error.hpp"
#include "base/net/look_up.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::size_t k_message = 48;
constexpr std::size_t k_originate = 24;  // where the places of the times are
constexpr std::size_t k_transmit = 40;
constexpr std::uint16_t k_ntp_port = 123;
constexpr int k_ntp_patience_ms = 2000;
constexpr int k_attempts = 2;
constexpr std::int64_t k_1900_to_1970 = 2208988800;
constexpr std::int64_t k_era = std::int64_t{1} << 32U;

std::optional<WallTime> ask(const SocketAddress& address) {
  const Fd socket(::socket(address.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket || ::connect(socket.get(), address.get(), address.length) != 0) return std::nullopt;
  for (int attempt = 0; attempt < k_attempts; ++attempt) {
    const std::string cookie = random_bytes(8);
    const std::string question = encode_sntp(cookie);
    if (::send(socket.get(), question.data(), question.size(), 0) < 0) return std::nullopt;
    pollfd entry{socket.get(), POLLIN, 0};
    if (::poll(&entry, 1, k_ntp_patience_ms) <= 0) continue;
    std::array<char, 512> buffer{};
    const ssize_t got = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
    if (got <= 0) continue;
    if (const auto time = parse_sntp({buffer.data(), static_cast<std::size_t>(got)}, cookie)) return time;
  }
  return std::nullopt;
}

std::optional<WallTime> ask_first_of(const std::vector<std::string>& servers, const Clock& clock) {
  for (const std::string& server : servers) {
    try {
      const Deadline deadline = Deadline::after(std::chrono::seconds(5), clock);
      for (const SocketAddress& address : look_up(server, k_ntp_port, deadline, clock)) {
        if (const std::optional<WallTime> time = ask(address)) return time;
      }
    } catch (const Error&) {  // the next one
    }
  }
  return std::nullopt;
}

/// When this program was put into the ramdisk: an archive keeps the times of its files.
WallTime time_of_program() {
  struct stat info {};
  if (::stat("/proc/self/exe", &info) != 0) return {};
  return WallTime(std::chrono::duration_cast<WallTime::duration>(std::chrono::seconds(info.st_mtim.tv_sec)));
}

void set_to(WallTime time, std::string_view why, Console& console) {
  const auto since = time.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  const timespec wanted{
      static_cast<time_t>(seconds.count()),
      static_cast<long>(std::chrono::duration_cast<std::chrono::nanoseconds>(since - seconds).count())};
  const bool done = ::clock_settime(CLOCK_REALTIME, &wanted) == 0;
  console.say(done ? cat("the clock was wrong; it is set ", why)
                   : cat("the clock is wrong and can't be set: ", ::strerror(errno)));
}

}  // namespace

std::string encode_sntp(std::string_view cookie) {
  std::string bytes(k_message, '\0');
  bytes[0] = 0x23;  // version 4, client
  bytes.replace(k_transmit, 8, cookie.substr(0, 8));
  return bytes;
}

std::optional<WallTime> parse_sntp(std::string_view bytes, std::string_view cookie) {
  if (bytes.size() < k_message || bytes.substr(k_originate, 8) != cookie) return std::nullopt;
  const auto flags = static_cast<unsigned char>(bytes[0]);
  const auto stratum = static_cast<unsigned char>(bytes[1]);
  const bool knows = flags >> 6U != 3 && (flags & 7U) == 4 && stratum >= 1 && stratum <= 15;
  const std::uint32_t seconds = get_be<std::uint32_t>(bytes, k_transmit);
  if (!knows || seconds == 0) return std::nullopt;
  const std::int64_t era = seconds < 0x80000000U ? k_era : 0;  // of 2036, when the number begins anew
  const std::int64_t nanoseconds =
      static_cast<std::int64_t>(get_be<std::uint32_t>(bytes, k_transmit + 4)) * 1'000'000'000 / k_era;
  const auto since = std::chrono::seconds(seconds + era - k_1900_to_1970) + std::chrono::nanoseconds(nanoseconds);
  return WallTime(std::chrono::duration_cast<WallTime::duration>(since));
}

void set_clock(const std::vector<std::string>& servers, Clock& clock, Console& console) {
  const std::optional<WallTime> told = ask_first_of(servers, clock);
  if (told) {
    const auto wrong = *told - clock.wall();
    if (wrong > std::chrono::seconds(1) || wrong < -std::chrono::seconds(1)) {
      set_to(*told, "by a time server", console);
    }
    return;
  }
  if (!servers.empty()) console.say(cat("no time server answers: ", join(servers, ", ")));
  const WallTime earliest = time_of_program();
  if (clock.wall() < earliest) set_to(earliest, "to when this ramdisk was made", console);
}

}  // namespace hearth::agent::deploy
