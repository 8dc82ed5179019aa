// CarriedAddress: an IPv4 address that goes with the seed that serves, so that machines find it where they found the
// one before. It is on a card only as long as it is held: for a term, renewed with each beat (store/term.hpp).
//
// A companion process holds it, which has no right but to change addresses, as the seed itself has none once it serves.
// It takes the address away when the term is over - also of a seed that was stopped or hangs - and at once when the
// seed has ended, however it ended. The kernel has been told for how many seconds the address is valid, and takes it
// away where the companion was stopped, too. When it is there, the others are told by gratuitous ARP: at once, and with
// each of the next renewals, for one may be lost.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <mutex>
#include <string>

#include "base/clock.hpp"
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
  /// Nobody holds it any more: the companion has ended, for it can't, or was killed.
  [[nodiscard]] bool is_lost() const { return is_lost_; }
  /// Of one that is lost.
  [[nodiscard]] std::string why_lost() const;

 private:
  CardAddress address_;
  Fd way_;  ///< to the companion
  pid_t companion_ = -1;
  std::atomic<bool> is_lost_ = false;
  std::mutex mutex_;
  bool is_dropped_ = false;
};

}  // namespace hearth::bootstrap
