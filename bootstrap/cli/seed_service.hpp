// The seed's services in one process: the conductor with its REST faces, and as asked for the boot servers and the
// stack engine. `hearth node serve` is this; `hearth deploy` runs it in a copy of its process.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cli/options.hpp"
#include "base/error.hpp"
#include "base/path.hpp"
#include "bootstrap/handover/handover.hpp"

namespace hearth::bootstrap {

/// The state's services are another seed's.
class GivenAway : public Error {
 public:
  GivenAway(const fs::path& directory, Handover given);
  Handover handover;
};

class SeedService {
 public:
  /// Opens all ports and the state; `arguments` are those of `hearth node serve`, and "silent": print no ports. Throws
  /// Error, and GivenAway, when there are no rights any more. Nothing else works in the process: what ports needed of
  /// root's rights is given up when they are open (--keep-rights, --user).
  explicit SeedService(const cli::Arguments& arguments);
  SeedService(const SeedService&) = delete;
  SeedService& operator=(const SeedService&) = delete;
  /// Where run() threw because the state is lost, nothing is closed: the process is to end, and what hangs with it.
  ~SeedService();

  /// Serves until SIGTERM or SIGINT.
  void run();
  /// After run(): to whom the services were given meanwhile, if they were.
  [[nodiscard]] std::optional<Handover> handover() const;
  /// After run(): whether nothing hangs at a BMC or an agent any more, two seconds later. Where it does, this can't be
  /// destroyed in time; all that was promised is durable, so that the process may end as it is.
  [[nodiscard]] bool wind_up();

  [[nodiscard]] const std::string& nodes_url() const;   ///< "http://127.0.0.1:6385"
  [[nodiscard]] const std::string& stacks_url() const;  ///< "https://192.0.2.1:8004/v1/admin"; empty without --engine
  [[nodiscard]] const std::string& stacks_ca_file() const;  ///< whom to trust there; empty = the system's authorities
  [[nodiscard]] std::string stacks_token() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// In place of the services: gives the state away, until it is told that the new ones serve (0), or that these here
/// are to serve again (k_called_off: start them), or a signal comes (0).
int serve_handover(const cli::Arguments& arguments, const Handover& handover);
constexpr int k_called_off = 75;  ///< EX_TEMPFAIL of sysexits.h

/// The options of it that `hearth deploy` has, too.
[[nodiscard]] std::vector<cli::Option> boot_options();

}  // namespace hearth::bootstrap
