#include "bootstrap/boot/home_leases.hpp"

#include <exception>
#include <utility>

#include "base/text.hpp"
#include "pxe/dhcp/journal.hpp"

namespace hearth::bootstrap {

HomeLeases::HomeLeases(Home& home) : home_(home) {
  for (const std::string& line : home_.leases())
    for (pxe::dhcp::Lease& lease : pxe::dhcp::parse_journal(line).leases) found_.push_back(std::move(lease));
}

void HomeLeases::keep(const pxe::dhcp::Lease& lease, std::function<void()> then,
                      std::function<void(const std::string&)> failed) {
  if (const std::string trouble = home_.trouble(); !trouble.empty()) {
    if (failed) failed(trouble);
    return;
  }
  Change change;
  change.leases[pxe::to_text(lease.address)] = std::string(trim(pxe::dhcp::journal_line(lease)));
  const std::lock_guard lock(mutex_);  // what is kept at once is looked at when it waits here
  const std::uint64_t number = home_.add(std::move(change));
  waiting_.push_back({number, std::move(then), std::move(failed)});
}

void HomeLeases::look() {
  const std::string trouble = home_.trouble();
  const std::uint64_t kept = home_.kept();
  std::deque<Waiting> told;
  {
    const std::lock_guard lock(mutex_);
    while (!waiting_.empty() && (!trouble.empty() || waiting_.front().number <= kept)) {
      told.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
  }
  for (const Waiting& one : told) try {
      // Also what is kept is not told where another seed may serve by now: this thread may have been stopped in
      // between.
      const std::string pause = home_.pause();
      if (one.number <= kept && pause.empty()) {
        one.then();
      } else if (one.failed) {
        one.failed(pause.empty() ? trouble : pause);
      }
    } catch (const std::exception&) {  // an answer that can't be sent: its client asks again, the others get theirs
      continue;
    }
}

}  // namespace hearth::bootstrap
