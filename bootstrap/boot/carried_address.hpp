// CarriedAddress: an IPv4 address that goes with the seed that serves, so that machines find it where they found the
// one before. It is on a card only as long as it is held: for a term, renewed with each beat (store/term.hpp).
//
// A companion process holds it, which has no right but to change addresses, as the seed itself has none once it serves.
// It takes the address away when the term is over - also of a seed that was stopped or hangs - and at once when the
// seed has ended, however it ended. The kernel has been told for how many seconds the address is valid, and takes it
// away where the companion was stopped, too. When it is there, the others are told by gratuitous ARP: at once, and with
// each of the next renewals, for one may be lost.
//
// A stranger that says it has the address is told of. It is answered by one more announcement each ten seconds at most,
// so that two that don't give way don't shout at each other (RFC 5227 section 2.4); the seed serves on, for machines
// know no other address. One that says nothing is found by a probe, each ten seconds, which its kernel answers.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/sys/fd.hpp"
#include "pxe/net/address.hpp"

namespace hearth::bootstrap {

struct CardAddress {
  pxe::Ipv4 address;
  int prefix = 0;
  std::string card;
};
/// "192.0.2.10/24". Throws Error (usage).
[[nodiscard]] CardAddress parse_card_address(const std::string& text, const std::string& card);

class CarriedAddress {
 public:
  /// Starts the companion; the address is not there yet. Of a process that has one thread only, and no file open that a
  /// companion must not have. Throws Error: no such card, one that has the address already, no right to change it.
  explicit CarriedAddress(const CardAddress& address);
  CarriedAddress(const CarriedAddress&) = delete;
  CarriedAddress& operator=(const CarriedAddress&) = delete;
  /// Takes the address away.
  ~CarriedAddress();

  /// It is there until then (of time_since_boot()), unless it is held again. From any thread.
  void hold(MonotonicTime until);
  /// hold(), and waits until it is there. Throws Error where it can't be.
  void take(MonotonicTime until);
  /// Takes the address away, and holds it no more. From any thread.
  void drop();
  /// Who says that he has the address, too; each once in a while. From the thread that takes it.
  void tell_of_stranger(Logger& log);
  /// Nobody holds it any more: the companion has ended, for it can't, or was killed.
  [[nodiscard]] bool is_lost() const { return is_lost_; }
  /// Of one that is lost.
  [[nodiscard]] std::string why_lost();

 private:
  /// What the companion says next: nothing, where it has said nothing.
  [[nodiscard]] std::optional<std::string> next_word(bool waits);
  CardAddress address_;
  Fd way_;  ///< to the companion
  pid_t companion_ = -1;
  std::atomic<bool> is_lost_ = false;
  std::mutex mutex_;
  bool is_dropped_ = false;
  std::string stranger_;              ///< heard of, and not told yet
  std::optional<std::string> fault_;  ///< why it can't be held, likewise
};

}  // namespace hearth::bootstrap
