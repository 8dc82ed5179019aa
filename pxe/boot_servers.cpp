#include "pxe/boot_servers.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/limits.hpp"
#include "base/text.hpp"
#include "pxe/boot/attribution.hpp"
#include "pxe/boot/site_content.hpp"
#include "pxe/dhcp/server.hpp"
#include "pxe/http/server.hpp"
#include "pxe/http/wire.hpp"
#include "pxe/log_lines.hpp"
#include "pxe/metrics.hpp"
#include "pxe/tftp/farm.hpp"

namespace hearth::pxe {

namespace {

constexpr auto k_guard_time = std::chrono::milliseconds(600);
constexpr int k_guard_probes = 3;

void check_boot_files(const Site& site, const FoundFiles& found, bool force, Logger& logger) {
  const std::vector<std::string> problems = check_files(site, found, RealFileSystem());
  if (problems.empty()) return;
  if (!force)
    throw Error(ErrorKind::not_found, join(problems, "\n"))
        .hint("--force starts nevertheless; such machines then fail to boot.");
  for (const std::string& problem : problems) logger.warning(problem);
}

dhcp::LeaseTable load_leases(const fs::path& path, Logger& logger) {
  dhcp::LeaseTable leases;
  const dhcp::JournalContents contents = dhcp::parse_journal(RealFileSystem().read(path).value_or(""));
  for (const dhcp::Lease& lease : contents.leases) leases.put(lease);
  if (contents.damaged > 0) logger.warning(cat(path.string(), ": ", contents.damaged, " torn line(s) left out"));
  return leases;
}

/// One reactor in one thread. What it throws is logged; the others go on.
class Worker {
 public:
  Worker(Reactor& reactor, std::string name, Logger& logger, const std::function<void()>& failed)
      : reactor_(reactor), thread_([&reactor, name = std::move(name), &logger, &failed, this] {
          try {
            reactor.contain(
                [&](const std::string& what) { logger.error(cat(name, ": one request was dropped: ", what)); });
            reactor.run();
          } catch (const std::exception& error) {
            logger.error(cat(name, " has ended: ", error.what()));
            failed_ = true;
            if (failed) failed();
          }
        }) {}
  ~Worker() { reactor_.stop(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  Reactor& reactor_;
  std::atomic<bool> failed_ = false;
  std::jthread thread_;
};

}  // namespace

/// All servers, made in the order in which they need each other.
class BootServers::Impl {
 public:
  Impl(const Site& site, const NodeBook& nodes, const BootOptions& options, const Clock& clock, Logger& logger)
      : options_(options),
        clock_(clock),
        logger_(logger),
        state_(site.state_dir),
        site_(site),
        interfaces_(site.interfaces),
        sockets_(site),
        nodes_(nodes),
        lines_(logger) {
    const FoundFiles found = find_boot_files(RealFileSystem());
    check_boot_files(site, found, options.force, logger);
    allow_descriptors(std::numeric_limits<std::size_t>::max());  // each transfer takes two
    RealFileSystem().make_directories(state_, 0750);
    events_ = std::make_unique<EventFile>(state_ / "events.jsonl", clock_, logger, lines_);
    metrics_ = std::make_unique<Metrics>(*events_);
    requests_ = std::make_unique<AttributedRequests>(nodes_, addresses_, *metrics_, options.observer);
    content_ = std::make_unique<SiteContent>(site, found, nodes_, addresses_, [this] { return metrics_->text(); });
    open_servers(site);
  }

  void look_around() {
    for (int probe = 0; probe < k_guard_probes; ++probe) {  // one may be lost
      dhcp_->look_for_strangers();
      const Deadline end = Deadline::after(k_guard_time, clock_);
      while (!end.passed(clock_.now())) dhcp_reactor_.run_once(std::chrono::milliseconds(100));
    }
    if (dhcp_->strangers() == 0 || site_.mode == Mode::proxy) return;
    if (!options_.force) {
      throw Error(ErrorKind::unsupported,
                  "there is another DHCP server on the network (see above): not starting a second")
          .hint(
              "\"mode\": \"proxy\" in the site file serves beside it; \"allowed_servers\" lists it; --force starts "
              "anyway.");
    }
    logger_.warning("starting beside another DHCP server, as --force says");
  }

  void start() {
    std::unique_ptr<dhcp::JournalWriter> journal;
    if (site_.mode == Mode::full) {
      const std::vector<dhcp::Lease> known = known_leases().all();
      journal = std::make_unique<dhcp::JournalWriter>(leases_path(), known);
      if (options_.leases != nullptr && options_.leases->leases().empty()) {
        for (const dhcp::Lease& lease : known) options_.leases->keep(lease, [] {}, {});
      }
    }
    dhcp_->start_answering(std::move(journal), options_.leases);
    dhcp_reactor_.post([this] { dhcp_->start_watching(); });
    const auto work = [this](Reactor& reactor, const char* name) {
      reactor.rest_while(options_.rests);
      workers_.push_back(std::make_unique<Worker>(reactor, name, logger_, options_.failed));
    };
    work(dhcp_reactor_, "DHCP");
    for (const auto& reactor : tftp_->reactors()) work(*reactor, "TFTP");
    work(http_reactor_, "HTTP");
    for (const std::string& note : relay_notes(site_)) logger_.info(note);
    logger_.info(cat("ready: ", site_.mode == Mode::proxy ? "proxyDHCP" : "DHCP", ", TFTP and HTTP on ",
                     join(interfaces_, ", ")));
  }

  void use(const Site& site) {
    if (const std::string fault = reload_fault(site_, site); !fault.empty()) throw Error(ErrorKind::unsupported, fault);
    content_->use(site);
    site_ = site;
    renew_certificate(site);
    if (Sockets(site) != sockets_)
      logger_.warning("interfaces, ports and whether there is HTTPS stay as they were until the next start");
    dhcp_reactor_.post([this, site] { dhcp_->use(site); });
  }
  [[nodiscard]] std::optional<Mac> leased_to(Ipv4 address) const {
    if (site_.mode == Mode::proxy) return std::nullopt;  // there the book says what clients have told
    return addresses_.find(address);
  }
  [[nodiscard]] std::string metrics() const { return metrics_->text(); }
  [[nodiscard]] bool has_failed() const {
    return std::any_of(workers_.begin(), workers_.end(), [](const auto& worker) { return worker->failed(); });
  }

 private:
  [[nodiscard]] fs::path leases_path() const { return state_ / "leases"; }

  /// A home that has none yet takes over what the file has.
  [[nodiscard]] dhcp::LeaseTable known_leases() {
    dhcp::LeaseTable leases;
    if (options_.leases != nullptr)
      for (const dhcp::Lease& lease : options_.leases->leases()) leases.put(lease);
    return leases.size() > 0 ? leases : load_leases(leases_path(), logger_);
  }

  /// What a site says of sockets, which are opened once: afterwards the right to do so is given up.
  struct Sockets {
    explicit Sockets(const Site& site)
        : interfaces(site.interfaces),
          ports{site.http_port, site.https_port, site.tftp_port},
          https(!site.tls_key.empty()) {}
    std::vector<std::string> interfaces;
    std::array<std::uint16_t, 3> ports;
    bool https;
    bool operator==(const Sockets&) const = default;
  };

  /// Null where there is no HTTPS. Throws Error.
  static std::shared_ptr<const http::TlsKeys> keys_of(const Site& site) {
    if (site.tls_key.empty()) return nullptr;
    return std::make_shared<http::TlsKeys>(site.tls_certificate, site.tls_key);
  }

  /// A key that only root can read is out of reach by now: that is no reason to keep the old site.
  void renew_certificate(const Site& site) {
    try {
      if (const auto keys = keys_of(site)) http_reactor_.post([this, keys] { http_->renew(keys); });
    } catch (const Error& error) {
      logger_.warning(cat("the certificate stays as it was: ", error.what()));
    }
  }

  void open_servers(const Site& site) {
    dhcp::LeaseTable leases = known_leases();
    for (const dhcp::Lease& lease : leases.all()) addresses_.put(lease.address, lease.mac);
    dhcp_ = std::make_unique<dhcp::Server>(
        dhcp::Server::Wiring{dhcp_reactor_, clock_, logger_, *requests_,
                             [this](const dhcp::Lease& lease) { addresses_.put(lease.address, lease.mac); }},
        dhcp::Engine(site, nodes_, std::move(leases)));
    tftp_ = std::make_unique<tftp::Farm>(tftp::Farm::usual_size(), clock_, *content_, *requests_);
    http_ = std::make_unique<http::Server>(
        http_reactor_, clock_, *content_, *requests_,
        http::Limits{.bytes_a_second = options_.http_rate, .bytes_a_second_per_client = options_.http_rate_per_client});
    const std::shared_ptr<const http::TlsKeys> keys = keys_of(site);
    std::set<Ipv4> servers;  // the interface may have other addresses, too
    for (const Network& network : site.networks) servers.insert(network.server);
    for (const std::string& name : site.interfaces) {
      const Ipv4 address = find_interface(name, servers).address;
      if (keys) http_->listen({address, site.https_port}, keys);
      tftp_->listen({{}, site.tftp_port}, name);
      http_->listen({address, site.http_port});
    }
  }

  const BootOptions options_;
  const Clock& clock_;
  Logger& logger_;
  const fs::path state_;
  Site site_;  ///< the one that is served
  const std::vector<std::string> interfaces_;
  const Sockets sockets_;
  LearningBook nodes_;
  LoggedRequests lines_;
  std::unique_ptr<EventFile> events_;
  std::unique_ptr<Metrics> metrics_;
  AddressBook addresses_;
  std::unique_ptr<AttributedRequests> requests_;
  std::unique_ptr<SiteContent> content_;
  Reactor dhcp_reactor_{clock_};
  Reactor http_reactor_{clock_};
  std::unique_ptr<dhcp::Server> dhcp_;
  std::unique_ptr<tftp::Farm> tftp_;
  std::unique_ptr<http::Server> http_;
  std::vector<std::unique_ptr<Worker>> workers_;  ///< last: their threads use all the others
};

BootServers::BootServers(const Site& site, const NodeBook& nodes, const BootOptions& options, const Clock& clock,
                         Logger& logger)
    : impl_(std::make_unique<Impl>(site, nodes, options, clock, logger)) {}
BootServers::~BootServers() = default;
void BootServers::look_around() { impl_->look_around(); }
void BootServers::start() { impl_->start(); }
void BootServers::use(const Site& site) { impl_->use(site); }
std::optional<Mac> BootServers::leased_to(Ipv4 address) const { return impl_->leased_to(address); }
std::string BootServers::metrics() const { return impl_->metrics(); }
bool BootServers::has_failed() const { return impl_->has_failed(); }

}  // namespace hearth::pxe
