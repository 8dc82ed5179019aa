#include "pxe/service.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "pxe/boot/site_content.hpp"
#include "pxe/dhcp/server.hpp"
#include "pxe/http/server.hpp"
#include "pxe/log_lines.hpp"
#include "pxe/metrics.hpp"
#include "pxe/privileges.hpp"
#include "pxe/tftp/server.hpp"

namespace hearth::pxe {

namespace {

constexpr auto k_guard_time = std::chrono::milliseconds(1500);

/// Each transfer takes two descriptors.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// Blocks them, so that every thread started later leaves them to wait().
class Signals {
 public:
  Signals() {
    ::sigemptyset(&set_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set_, number);
    ::pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  [[nodiscard]] int wait() const {
    int number = 0;
    ::sigwait(&set_, &number);
    return number;
  }

 private:
  sigset_t set_{};
};

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

/// One reactor in one thread. What it throws ends the program.
class Worker {
 public:
  Worker(Reactor& reactor, std::string name, Logger& logger)
      : reactor_(reactor), thread_([&reactor, name = std::move(name), &logger, this] {
          try {
            reactor.run();
          } catch (const std::exception& error) {
            logger.error(cat(name, ": ", error.what()));
            failed_ = true;
            ::kill(::getpid(), SIGTERM);
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

/// All servers of a site, made in the order in which they need each other.
class Service {
 public:
  Service(const ServiceOptions& options, Logger& logger)
      : options_(options),
        logger_(logger),
        site_(load_site(options.site_file)),
        state_(site_.state_dir),
        found_(find_boot_files(RealFileSystem())),
        lines_(logger) {
    check_boot_files(site_, found_, options.force, logger);
    raise_descriptor_limit();
    RealFileSystem().make_directories(state_, 0750);
    events_ = std::make_unique<EventFile>(state_ / "events.jsonl", clock_, logger, lines_);
    metrics_ = std::make_unique<Metrics>(*events_);
    content_ = std::make_unique<SiteContent>(site_, found_, addresses_, [this] { return metrics_->text(); });
    open_servers();
  }

  /// Refuses to be a second DHCP server where there is one already.
  void look_around() {
    dhcp_->look_for_strangers();
    const Deadline end = Deadline::after(k_guard_time, clock_);
    while (!end.passed(clock_.now())) dhcp_reactor_.run_once(std::chrono::milliseconds(100));
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

  int run(const Signals& signals) {
    if (!options_.user.empty()) give_state_to_user();
    drop_privileges(options_.user);
    std::unique_ptr<dhcp::JournalWriter> journal;
    if (site_.mode == Mode::full)
      journal = std::make_unique<dhcp::JournalWriter>(leases_path(), load_leases(leases_path(), logger_).all());
    dhcp_->start_answering(std::move(journal));
    dhcp_reactor_.post([this] { dhcp_->start_watching(); });
    Worker dhcp(dhcp_reactor_, "DHCP", logger_);
    Worker tftp(tftp_reactor_, "TFTP", logger_);
    Worker http(http_reactor_, "HTTP", logger_);
    logger_.info(cat("ready: ", site_.mode == Mode::proxy ? "proxyDHCP" : "DHCP", ", TFTP and HTTP on ",
                     join(site_.interfaces, ", ")));
    while (signals.wait() == SIGHUP) reload();
    return dhcp.failed() || tftp.failed() || http.failed() ? 1 : 0;
  }

 private:
  [[nodiscard]] fs::path leases_path() const { return state_ / "leases"; }

  void open_servers() {
    dhcp::LeaseTable leases = load_leases(leases_path(), logger_);
    for (const dhcp::Lease& lease : leases.all()) addresses_.put(lease.address, lease.mac);
    dhcp_ = std::make_unique<dhcp::Server>(
        dhcp::Server::Wiring{dhcp_reactor_, clock_, logger_, *metrics_,
                             [this](const dhcp::Lease& lease) { addresses_.put(lease.address, lease.mac); }},
        dhcp::Engine(site_, std::move(leases)));
    tftp_ = std::make_unique<tftp::Server>(tftp_reactor_, *content_, *metrics_);
    http_ = std::make_unique<http::Server>(
        http_reactor_, clock_, *content_, *metrics_,
        http::Limits{.bytes_a_second = options_.http_rate, .bytes_a_second_per_client = options_.http_rate_per_client});
    for (const std::string& name : site_.interfaces) {
      tftp_->listen({{}, site_.tftp_port}, name);
      http_->listen({find_interface(name).address, site_.http_port});
    }
  }

  void give_state_to_user() {
    RealRunner runner(clock_);
    run_checked(runner, {.argv = {"chown", "-R", options_.user + ":", state_.string()}});
  }

  void reload() {
    try {
      Site site = load_site(options_.site_file);
      content_->use(site);
      dhcp_reactor_.post([this, site] { dhcp_->use(site); });
      logger_.info(cat(options_.site_file, " read again: ", site.nodes.size(), " nodes"));
    } catch (const Error& error) {
      logger_.error(cat("the site stays as it was: ", error.what()));
    }
  }

  const ServiceOptions& options_;
  Logger& logger_;
  SystemClock clock_;
  Site site_;
  fs::path state_;
  FoundFiles found_;
  LoggedRequests lines_;
  std::unique_ptr<EventFile> events_;
  std::unique_ptr<Metrics> metrics_;
  AddressBook addresses_;
  std::unique_ptr<SiteContent> content_;
  Reactor dhcp_reactor_{clock_};
  Reactor tftp_reactor_{clock_};
  Reactor http_reactor_{clock_};
  std::unique_ptr<dhcp::Server> dhcp_;
  std::unique_ptr<tftp::Server> tftp_;
  std::unique_ptr<http::Server> http_;
};

}  // namespace

Site load_site(const std::string& path) { return parse_site(read_file(path), path).value_or_throw(); }

int serve(const ServiceOptions& options, Logger& logger) {
  const Signals signals;
  Service service(options, logger);
  service.look_around();
  return service.run(signals);
}

}  // namespace hearth::pxe
