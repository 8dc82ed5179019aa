#include "bootstrap/boot/carried_address.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/capability.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "pxe/net/frame.hpp"
#include "pxe/net/packet_socket.hpp"

namespace hearth::bootstrap {

namespace {

constexpr int k_announcements = 5;
constexpr auto k_defends_each = std::chrono::seconds(10);  ///< at most
constexpr auto k_probes_each = std::chrono::seconds(10);
constexpr auto k_tells_each = std::chrono::minutes(10);  ///< of the same stranger
constexpr int k_packets_a_turn = 64;
constexpr std::size_t k_arp_bytes = 64;
constexpr pxe::Mac k_everyone{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
constexpr std::string_view k_stranger = "stranger ";  ///< a word of the companion's; a MAC follows
/// So long the kernel may yet have the address of a seed that was killed with its companion a moment ago.
constexpr auto k_left_by_former = std::chrono::seconds(5);
constexpr std::size_t k_answer_bytes = 512;

/// What the companion is told.
struct Hold {
  std::int64_t until = 0;  ///< nanoseconds of time_since_boot()
  bool wants_answer = false;
};

void only_change_addresses() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> kept{};
  kept[0].effective = kept[0].permitted = 1U << static_cast<unsigned>(CAP_NET_ADMIN);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::syscall(SYS_capset, &header, kept.data()) != 0)
    throw Error::from_errno("giving up", "capabilities");
}

/// Of this machine, which has the address; empty: none.
std::string card_with(pxe::Ipv4 address) {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) throw Error::from_errno("asking for", "this machine's addresses");
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(all, &::freeifaddrs);
  for (const ifaddrs* at = all; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_INET) continue;
    sockaddr_in own{};
    std::memcpy(&own, at->ifa_addr, sizeof own);
    if (ntohl(own.sin_addr.s_addr) == address.value) return at->ifa_name;
  }
  return "";
}

/// Else it would stay when this seed rests, or the seed would fail only when it is needed.
void require_no_card_has(const CardAddress& carried) {
  const MonotonicTime end = time_since_boot() + k_left_by_former;
  for (;; std::this_thread::sleep_for(std::chrono::milliseconds(200))) {
    const std::string card = card_with(carried.address);
    if (card.empty()) return;
    if (time_since_boot() < end) continue;
    const std::string address = cat(pxe::to_text(carried.address), "/", carried.prefix);
    throw Error(ErrorKind::input, cat("--address ", address, ": the card ", card, " has it already"))
        .hint(cat("It goes with whichever seed serves, and nobody else puts it on a card: ip address del ", address,
                  " dev ", card));
  }
}

/// The kernel's addresses, by rtnetlink(7).
class Addresses {
 public:
  explicit Addresses(const CardAddress& address)
      : address_(address),
        index_(::if_nametoindex(address.card.c_str())),
        socket_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)) {
    if (!socket_) throw Error::from_errno("asking for", "the kernel's addresses");
  }
  /// 0, or an errno. It is to be there for so many seconds from now on; `anew`: nobody is to have put it there.
  [[nodiscard]] int put(std::uint32_t seconds, bool anew) {
    return ask(RTM_NEWADDR, NLM_F_CREATE | (anew ? NLM_F_EXCL : NLM_F_REPLACE), seconds);
  }
  void take_away() { static_cast<void>(ask(RTM_DELADDR, 0, 0)); }

 private:
  struct Request {
    nlmsghdr head{};
    ifaddrmsg body{};
    std::array<char, 64> attributes{};
  };
  static void add(Request& request, unsigned short type, const void* data, std::size_t size) {
    char* const end = reinterpret_cast<char*>(&request) + NLMSG_ALIGN(request.head.nlmsg_len);
    const rtattr head{static_cast<unsigned short>(RTA_LENGTH(size)), type};
    std::memcpy(end, &head, sizeof head);
    std::memcpy(end + RTA_LENGTH(0), data, size);
    request.head.nlmsg_len = static_cast<std::uint32_t>(NLMSG_ALIGN(request.head.nlmsg_len) + RTA_LENGTH(size));
  }
  [[nodiscard]] int ask(unsigned short type, int flags, std::uint32_t seconds) {
    Request request;
    request.head.nlmsg_len = NLMSG_LENGTH(sizeof request.body);
    request.head.nlmsg_type = type;
    request.head.nlmsg_flags = static_cast<unsigned short>(NLM_F_REQUEST | NLM_F_ACK | flags);
    request.body.ifa_family = AF_INET;
    request.body.ifa_prefixlen = static_cast<std::uint8_t>(address_.prefix);
    request.body.ifa_index = index_;
    const std::uint32_t own = htonl(address_.address.value);
    add(request, IFA_LOCAL, &own, sizeof own);
    add(request, IFA_ADDRESS, &own, sizeof own);
    if (seconds > 0) {
      const ifa_cacheinfo lifetime{seconds, seconds, 0, 0};
      add(request, IFA_CACHEINFO, &lifetime, sizeof lifetime);
    }
    if (::send(socket_.get(), &request, request.head.nlmsg_len, 0) < 0) return errno;
    struct {
      nlmsghdr head;
      nlmsgerr error;
      std::array<char, 256> more;
    } answer{};
    if (::recv(socket_.get(), &answer, sizeof answer, 0) < 0) return errno;
    return answer.head.nlmsg_type == NLMSG_ERROR ? -answer.error.error : EPROTO;
  }

  CardAddress address_;
  unsigned index_;
  Fd socket_;
};

/// In the companion: until its seed has ended.
class AddressKeeper {
 public:
  AddressKeeper(const CardAddress& address, const pxe::Mac& mac, const Fd& way)
      : address_(address),
        mac_(mac),
        way_(way),
        addresses_(address),
        packets_({address.card, static_cast<int>(::if_nametoindex(address.card.c_str())), mac, address.address},
                 pxe::PacketSocket::Kind::arp) {
    only_change_addresses();
  }

  int run() {
    for (;;) {
      std::array<::pollfd, 2> ready{{{way_.get(), POLLIN, 0}, {packets_.fd(), POLLIN, 0}}};
      const int timeout = is_there_ ? Deadline(until_).poll_timeout(time_since_boot()) : -1;
      const bool is_told = ::poll(ready.data(), ready.size(), timeout) > 0;
      if (is_told && ready[0].revents != 0 && !hear()) break;
      if (is_there_ && time_since_boot() >= until_) take_away();
      if (is_told && ready[1].revents != 0) listen();  // what was said to one that was stopped is not against it
    }
    if (is_there_) take_away();
    return 0;
  }

 private:
  /// False where the seed has ended, or is told why the address can't be held.
  bool hear() {
    Hold hold;
    const ssize_t got = ::recv(way_.get(), &hold, sizeof hold, 0);
    if (got < 0 && errno == EINTR) return true;
    if (got != sizeof hold) return false;
    until_ = MonotonicTime(std::chrono::nanoseconds(hold.until));
    const int fault = put();
    const std::string told = fault == 0 ? "" : std::strerror(fault);
    if (hold.wants_answer || fault != 0) ::send(way_.get(), told.data(), told.size(), MSG_NOSIGNAL);
    return fault == 0;
  }

  int put() {
    const MonotonicTime now = time_since_boot();
    if (now >= until_) return 0;
    if (!is_there_ && !card_with(address_.address).empty()) return EEXIST;
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(until_ - now).count();
    const int fault = addresses_.put(static_cast<std::uint32_t>(seconds), !is_there_);
    if (fault != 0) return fault;
    if (!is_there_) announced_ = 0;
    is_there_ = true;
    if (announced_++ < k_announcements) announce();
    if (announced_ <= k_announcements || now - probed_ >= k_probes_each) {
      packets_.send(k_everyone, pxe::arp_probe(mac_, address_.address));
      probed_ = now;
    }
    return 0;
  }

  void announce() const { packets_.send(k_everyone, pxe::arp_announcement(mac_, address_.address)); }

  void listen() {
    std::array<char, k_arp_bytes> buffer{};
    for (int left = k_packets_a_turn; left > 0 || !is_there_; --left) {
      const pxe::PacketSocket::Heard heard = packets_.receive(buffer);
      if (heard.size == 0) return;
      const std::optional<pxe::ArpClaim> claim = pxe::view_arp({buffer.data(), heard.size});
      if (is_there_ && claim && claim->address == address_.address && claim->mac != mac_) contested_by(claim->mac);
    }
  }

  void contested_by(const pxe::Mac& mac) {
    const MonotonicTime now = time_since_boot();
    if (!defended_ || now - *defended_ >= k_defends_each) {
      announce();
      defended_ = now;
    }
    const std::string name = pxe::to_text(mac);
    if (told_ && now - *told_ < (name == told_of_ ? Duration(k_tells_each) : Duration(k_defends_each))) return;
    told_ = now;
    told_of_ = name;
    const std::string word = cat(k_stranger, name);
    ::send(way_.get(), word.data(), word.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  void take_away() {
    addresses_.take_away();
    is_there_ = false;
  }

  CardAddress address_;
  pxe::Mac mac_;
  const Fd& way_;
  Addresses addresses_;
  pxe::PacketSocket packets_;
  MonotonicTime until_{};
  bool is_there_ = false;
  int announced_ = 0;
  MonotonicTime probed_{};
  std::optional<MonotonicTime> defended_;
  std::optional<MonotonicTime> told_;
  std::string told_of_;
};

pxe::Mac mac_of(const std::string& card) {
  const std::optional<std::string> text = RealFileSystem().read(fs::path("/sys/class/net") / card / "address");
  const std::optional<pxe::Mac> mac = text ? pxe::parse_mac(trim(*text)) : std::nullopt;
  if (mac) return *mac;
  throw Error(ErrorKind::input, cat("--interface ", card, ": there is no such card, or it has no address of Ethernet"))
      .hint("ip link lists those that there are.");
}

/// Its first word: nothing, or why it can't.
std::string heard(const Fd& way) {
  std::string said(k_answer_bytes, '\0');
  ssize_t got = 0;
  while ((got = ::recv(way.get(), said.data(), said.size(), 0)) < 0 && errno == EINTR) {
  }
  if (got < 0) throw Error::from_errno("hearing from", "the companion that holds the address");
  said.resize(static_cast<std::size_t>(got));
  return said;
}

}  // namespace

CardAddress parse_card_address(const std::string& text, const std::string& card) {
  const std::size_t slash = text.find('/');
  const std::optional<pxe::Ipv4> address = pxe::parse_ipv4(text.substr(0, slash));
  const std::optional<pxe::Subnet> subnet = pxe::parse_subnet(text);
  if (!address || !subnet || slash == std::string::npos || subnet->prefix == 0)
    throw Error(ErrorKind::usage,
                cat("--address ", text, ": an IPv4 address with its prefix is expected: 192.0.2.10/24"));
  if (card.empty()) throw Error(ErrorKind::usage, cat("--address ", text, ": on which card? --interface CARD"));
  return {*address, subnet->prefix, card};
}

CarriedAddress::CarriedAddress(const CardAddress& address) : address_(address) {
  const pxe::Mac mac = mac_of(address.card);
  require_no_card_has(address);
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error::from_errno("making", "a way to the companion that holds the address");
  way_ = Fd(ends[0]);
  Fd far(ends[1]);
  companion_ = start_companion([&] {
    way_ = Fd();  // or its end would be none
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_IGN);
    std::optional<AddressKeeper> keeper;
    std::string fault = "ready";
    try {
      keeper.emplace(address, mac, far);
    } catch (const Error& error) {
      fault = error.what();
    }
    ::send(far.get(), fault.data(), fault.size(), MSG_NOSIGNAL);
    return keeper ? keeper->run() : 1;
  });
  far = Fd();
  if (const std::string said = heard(way_); said != "ready")
    throw Error(ErrorKind::external, cat("--address ", pxe::to_text(address.address), ": ", said))
        .hint(
            "Whoever carries an address needs CAP_NET_ADMIN and CAP_NET_RAW at the start: be root, or give the service "
            "both (hearth help second-seed).");
}

CarriedAddress::~CarriedAddress() {
  way_ = Fd();
  while (::waitpid(companion_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void CarriedAddress::hold(MonotonicTime until) {
  const std::lock_guard lock(mutex_);
  if (is_dropped_) return;
  const Hold hold{until.time_since_epoch().count(), false};
  if (::send(way_.get(), &hold, sizeof hold, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN) is_lost_ = true;
}

std::optional<std::string> CarriedAddress::next_word(bool waits) {
  std::string said(k_answer_bytes, '\0');
  const int flags = waits ? 0 : MSG_DONTWAIT;
  ssize_t got = ::recv(way_.get(), said.data(), said.size(), flags);
  while (got < 0 && (errno == EINTR || errno == ECONNRESET))  // told first, once, where it had not heard all
    got = ::recv(way_.get(), said.data(), said.size(), flags);
  if (got < 0 || (got == 0 && !waits)) return std::nullopt;
  said.resize(static_cast<std::size_t>(got));
  return said;
}

void CarriedAddress::tell_of_stranger(Logger& log) {
  while (const std::optional<std::string> said = next_word(false)) {
    if (!said->starts_with(k_stranger)) {
      fault_ = said;
      break;
    }
    stranger_ = said->substr(k_stranger.size());
  }
  if (stranger_.empty()) return;
  log.error(cat("another machine, ", std::exchange(stranger_, ""), ", says that it has this seed's address, ",
                pxe::to_text(address_.address),
                ": machines and agents may ask that one in vain. Find it by its MAC, in the switch's table, and take "
                "the address away from it"));
}

std::string CarriedAddress::why_lost() {
  for (std::optional<std::string> said; !fault_ && (said = next_word(false));)
    if (!said->starts_with(k_stranger)) fault_ = said;
  const std::string address = cat(pxe::to_text(address_.address), "/", address_.prefix, " on ", address_.card);
  if (!fault_) return cat("the companion that holds ", address, " was killed");
  return cat(address, " can't be held: ", *fault_);
}

void CarriedAddress::take(MonotonicTime until) {
  const Hold hold{until.time_since_epoch().count(), true};
  const bool is_told = ::send(way_.get(), &hold, sizeof hold, MSG_NOSIGNAL) >= 0;
  std::string fault = is_told ? next_word(true).value_or("") : why_lost();  // it may have been held before, in vain
  for (; fault.starts_with(k_stranger); fault = next_word(true).value_or(""))
    stranger_ = fault.substr(k_stranger.size());
  if (fault.empty()) return;
  throw Error(ErrorKind::external,
              cat("putting ", pxe::to_text(address_.address), "/", address_.prefix, " on ", address_.card, ": ", fault))
      .hint(
          "It is this program's to give and to take: no other may have put it there (ip address del), and the seed "
          "needs CAP_NET_ADMIN (hearth help second-seed).");
}

void CarriedAddress::drop() {
  const std::lock_guard lock(mutex_);
  is_dropped_ = true;
  const Hold nothing;
  ::send(way_.get(), &nothing, sizeof nothing, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace hearth::bootstrap
