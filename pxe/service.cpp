#include "pxe/service.hpp"

#include <pthread.h>
#include <unistd.h>

#include <csignal>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/first_start.hpp"
#include "base/text.hpp"
#include "pxe/boot_servers.hpp"
#include "pxe/privileges.hpp"

namespace hearth::pxe {

namespace {

/// Blocks them, so that every thread started later leaves them to wait(). Those that ask for nothing are among them: by
/// themselves they would end the process.
class Signals {
 public:
  Signals() {
    ::sigemptyset(&set_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM}) ::sigaddset(&set_, number);
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

void reload(const ServiceOptions& options, BootServers& servers, NodeTable& nodes, Logger& logger) {
  const std::string& path = options.site_file;
  try {
    const Site site = options.load(path, SiteUse::serves);
    servers.use(site);
    nodes.replace(site.nodes);
    logger.info(cat(path, " read again: ", site.nodes.size(), " nodes"));
  } catch (const Error& error) {
    logger.error(cat("the site stays as it was: ", error.what()));
  }
}

}  // namespace

std::vector<std::string> needed_files(const Site& site, const std::string& site_file) {
  std::vector<std::string> files = {site_file, site.root, site.tls_certificate, site.tls_key};
  const auto add = [&files](const Profile& profile) {
    for (const BootSource* source : {&profile.kernel, &profile.ramdisk}) {
      if (!source->is_url()) files.push_back(source->text());
    }
  };
  for (const auto& [state, profile] : site.profiles) add(profile);
  for (const Node& node : site.nodes) {
    if (node.profile) add(*node.profile);
  }
  return files;
}

int serve(const ServiceOptions& options, Logger& logger) {
  const Signals signals;
  const SystemClock clock;
  const Site site = options.load(options.site_file, SiteUse::serves);
  NodeTable nodes(site.nodes);
  FirstStart first(site.state_dir);
  Rights rights({options.user, {site.state_dir}, needed_files(site, options.site_file)}, logger);
  first.hold();
  BootOptions boot = options.boot;
  boot.failed = [] { ::kill(::getpid(), SIGTERM); };
  BootServers servers(site, nodes, boot, clock, logger);
  servers.look_around();
  rights.give_up();
  servers.start();
  first.happened();
  for (int number = signals.wait(); number != SIGINT && number != SIGTERM; number = signals.wait()) {
    if (number == SIGHUP) {
      reload(options, servers, nodes, logger);
    } else {
      logger.info(cat("signal ", number, " asks for nothing; SIGTERM ends the servers"));
    }
  }
  return servers.has_failed() ? 1 : 0;
}

}  // namespace hearth::pxe
