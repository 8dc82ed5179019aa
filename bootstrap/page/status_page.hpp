// The status page: nodes on their way, stacks, events and the log, live in a browser. Beside another handler on one
// address: the page has "/page/…", and "/" for those who ask for HTML; the rest is the other's.
//
// Behind a Gate: everybody who reaches the address gets the page's own files and how many nodes there are; to see them,
// one logs in. Nothing here changes anything: actions of the page go to the REST API.
//
//     /page/              the page and its files
//     /page/counts        how many nodes there are, for everybody
//     /page/events        server-sent events: `snapshot`, then `change`; Last-Event-ID is honoured
//     /page/history       older events: ?before=ID&node=UUID
//     /page/nodes/UUID    a node in detail, with its latest events and what its machine asked the boot servers for
//     /page/network       the networks that are served, and the leases in them
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/net/served.hpp"
#include "bootstrap/conductor/conductor.hpp"
#include "bootstrap/gate/gate.hpp"
#include "bootstrap/page/feed.hpp"
#include "bootstrap/page/page_files.hpp"
#include "bootstrap/page/page_log.hpp"
#include "bootstrap/page/stack_source.hpp"
#include "bootstrap/power/console_desk.hpp"

namespace hearth::bootstrap {

class StatusPage final : public GuardedHandler {
 public:
  static constexpr std::size_t k_readers = 64;  ///< more are told to come again later

  /// `stacks` and `consoles` may be null.
  StatusPage(Conductor& conductor, PageLog& log, GuardedHandler& rest, StackSource* stacks = nullptr,
             const ConsoleDesk* consoles = nullptr);
  StatusPage(const StatusPage&) = delete;
  StatusPage& operator=(const StatusPage&) = delete;

  [[nodiscard]] ServedResponse answer(const ServedRequest& request, const Caller& caller) override;
  [[nodiscard]] std::unique_ptr<HeldAnswer> hold(const ServedRequest& request, const Caller& caller) override {
    return rest_.hold(request, caller);
  }
  /// Agents of machines ask a stack engine of this process for their metadata.
  void set_engine_hears() { engine_hears_ = true; }
  /// Tells readers what has happened since the last call. To be called a few times a second, on the same thread.
  void flush();
  [[nodiscard]] std::size_t readers() const { return readers_.size(); }

 private:
  [[nodiscard]] ServedResponse page(const ServedRequest& request, const Caller& caller);
  [[nodiscard]] ServedResponse file(const ServedRequest& request, const std::string& name) const;
  [[nodiscard]] ServedResponse history(const ServedRequest& request);
  [[nodiscard]] ServedResponse details(const std::string& uuid);
  [[nodiscard]] Json first_cause(const Node& node) const;
  [[nodiscard]] ServedResponse images() const;
  [[nodiscard]] ServedResponse stream(const ServedRequest& request);

  void take(const Committed& committed);
  /// Rows that look the same as before are no news.
  void note_changes();
  void look_at_stacks();
  [[nodiscard]] std::string snapshot();
  [[nodiscard]] std::string missed_since(const FeedPosition& position, Json events, bool gap);
  [[nodiscard]] Json row(const Node& node) const;

  Conductor& conductor_;
  PageLog& log_;
  GuardedHandler& rest_;
  StackSource* stacks_;
  const ConsoleDesk* consoles_;
  bool engine_hears_ = false;
  std::vector<PageFile> files_;
  Feed feed_;
  FeedPosition told_;                         ///< up to where readers know everything
  std::set<std::string> dirty_;               ///< nodes that were changed since the last flush
  std::vector<std::string> removed_;          ///< likewise
  Json fresh_ = Json::array();                ///< events since the last flush
  std::map<std::string, std::size_t> looks_;  ///< hashes of rows as readers know them
  std::vector<std::shared_ptr<ServedStream>> readers_;
  Json stack_view_;
  bool stacks_changed_ = false;
  bool looking_ = false;
  Stamp looked_ = 0;
  Stamp last_sign_ = 0;
};

}  // namespace hearth::bootstrap
