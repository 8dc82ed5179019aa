#include "pxe/commands.hpp"

#include <unistd.h>

#include <csignal>
#include <limits>
#include <thread>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/limits.hpp"
#include "base/text.hpp"
#include "pxe/boot/explain.hpp"
#include "pxe/export.hpp"
#include "pxe/log_lines.hpp"
#include "pxe/serve/content.hpp"
#include "pxe/service.hpp"
#include "pxe/tftp/farm.hpp"

namespace hearth::pxe {

namespace {

tftp::Farm* running_farm = nullptr;  ///< for the signal handler only

void stop_on_signals(tftp::Farm& farm) {
  running_farm = &farm;
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    action.sa_handler = [](int) { running_farm->stop(); };
    ::sigaction(number, &action, nullptr);
  }
  for (const int number : {SIGHUP, SIGUSR1, SIGUSR2, SIGALRM}) ::signal(number, SIG_IGN);  // they ask for nothing
}

Endpoint parse_listen(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  const std::optional<Ipv4> address = parse_ipv4(parts.front());
  const std::optional<std::uint64_t> port =
      parts.size() == 2 ? parse_number(parts[1]) : std::optional<std::uint64_t>(69);
  if (!address || parts.size() > 2 || !port || *port > 65535)
    throw Error(ErrorKind::usage, cat("--listen: '", text, "' is not ADDRESS or ADDRESS:PORT"));
  return {*address, static_cast<std::uint16_t>(*port)};
}

constexpr cli::NumberRange k_any{.most = std::uint64_t{1} << 40U};
constexpr cli::NumberRange k_16_bits{.most = 65535};

class DirectoryContent final : public ContentSource {
 public:
  explicit DirectoryContent(const std::string& directory) : root_(directory) {}
  [[nodiscard]] std::variant<Content, Refusal> open(const ContentRequest& request) override {
    return root_.open(request.name);
  }

 private:
  FileRoot root_;
};

int serve_site(const cli::Arguments& arguments, const SiteLoader& load) {
  if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name one site file");
  FdLogger logger(STDERR_FILENO, arguments.has("quiet") ? LogLevel::warning : LogLevel::info);
  const ServiceOptions options{
      .site_file = arguments.operands().front(),
      .load = load,
      .user = arguments.value_or("user", ""),
      .boot = {.force = arguments.has("force"),
               .http_rate = cli::number(arguments, "http-rate", 0, k_any) << 10U,
               .http_rate_per_client = cli::number(arguments, "http-rate-per-client", 0, k_any) << 10U}};
  return serve(options, logger);
}

/// The operands SITE and MAC, or the name of a machine of the site that has one.
std::pair<Site, Mac> site_and_mac(const cli::Arguments& arguments, const SiteLoader& load) {
  if (arguments.operands().size() != 2) throw Error(ErrorKind::usage, "name a site file and a MAC address");
  const std::string& word = arguments.operands()[1];
  std::optional<Mac> mac = parse_mac(word);
  if (!mac && word.find(':') != std::string::npos) throw Error(ErrorKind::usage, cat("'", word, "' is no MAC address"));
  Site site = load(arguments.operands().front(), SiteUse::looks);
  std::vector<std::string> names;
  for (const Node& node : site.nodes) {
    if (!mac && node.name == word && !node.macs.empty()) mac = node.macs.front();
    if (!node.macs.empty()) names.push_back(node.name);
  }
  if (!mac) {
    Error error(ErrorKind::usage, cat("'", word, "' is no MAC address, nor a machine of ", arguments.operands().front(),
                                      " that has one"));
    if (const auto near = nearest(word, names)) error.hint(cat("Did you mean ", *near, "?"));
    throw error;
  }
  return {std::move(site), *mac};
}

int explain_machine(const cli::Arguments& arguments, const SiteLoader& load) {
  const auto [site, mac] = site_and_mac(arguments, load);
  cli::print(explain(site, NodeTable(site.nodes), mac));
  return 0;
}

int show_boot_log(const cli::Arguments& arguments, const SiteLoader& load) {
  const auto [site, mac] = site_and_mac(arguments, load);
  const fs::path events = fs::path(site.state_dir) / "events.jsonl";
  const std::string older = RealFileSystem().read(events.string() + ".1").value_or("");
  const std::optional<std::string> newer = RealFileSystem().read(events);
  if (!newer && older.empty())
    throw Error(ErrorKind::not_found,
                cat("no `hearth pxe serve` has kept what machines ask: there is no file ", events.string()))
        .hint("where `hearth node serve --boot` boots them: hearth node boot-log NODE");
  cli::print(boot_log(boot_events(older + newer.value_or(""), {mac})));
  return 0;
}

int export_site(const cli::Arguments& arguments, const SiteLoader& load) {
  if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name one site file");
  const std::string target = arguments.value_or("for", "");
  const Site site = load(arguments.operands().front(), SiteUse::serves);
  if (target == "dnsmasq")
    cli::print_exact(export_dnsmasq(site));
  else if (target == "kea")
    cli::print_exact(export_kea(site));
  else if (target == "isc")
    cli::print_exact(export_isc(site));
  else
    throw Error(ErrorKind::usage, cat("--for is dnsmasq, kea or isc, not '", target, "'"));
  return 0;
}

int serve_tftp(const cli::Arguments& arguments) {
  if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name one directory");
  DirectoryContent content(arguments.operands().front());
  allow_descriptors(std::numeric_limits<std::size_t>::max());  // each transfer takes two
  SystemClock clock;
  FdLogger logger(STDERR_FILENO, arguments.has("quiet") ? LogLevel::error : LogLevel::info);
  LoggedRequests log(logger);
  tftp::Limits limits;
  limits.transfers_per_client = cli::number(arguments, "per-client", limits.transfers_per_client, k_16_bits);
  limits.block_size = static_cast<std::uint32_t>(cli::number(arguments, "max-blksize", limits.block_size, k_16_bits));
  tftp::Farm farm(cli::number(arguments, "threads", tftp::Farm::usual_size(), {.most = 64}), clock, content, log,
                  limits);
  const Endpoint at =
      farm.listen(parse_listen(arguments.value_or("listen", "0.0.0.0")), arguments.value_or("interface", ""));
  logger.info(cat("serving ", arguments.operands().front(), " by TFTP on ", to_text(at)));
  stop_on_signals(farm);
  std::vector<std::jthread> threads;
  for (const auto& reactor : farm.reactors()) threads.emplace_back([&reactor] { reactor->run(); });
  return 0;
}

}  // namespace

std::vector<cli::Command> commands(const SiteLoader& load) {
  const auto with_loader = [&load](int (*run)(const cli::Arguments&, const SiteLoader&)) {
    return [load, run](const cli::Arguments& arguments) { return run(arguments, load); };
  };
  return {
      {.words = "pxe serve",
       .operands = "SITE",
       .summary = "boot the machines of a site: DHCP or proxyDHCP, TFTP and HTTP in one process",
       .details =
           "SITE is a site file (site.yaml; hearth site new), whose machines boot from their disks, or a JSON file "
           "with\n"
           "all that can be said; pxe/README.md (in share/doc/hearth) has its keys. Answers follow the state of each\n"
           "machine; SIGHUP reads the file again. Leases, and an event for each request, are kept in the site's\n"
           "state_dir;\n"
           "http://SERVER/metrics counts them for Prometheus. Refuses to be a second DHCP server.",
       .options = {{"user", 'u', "NAME",
                    "whom root becomes when the ports are open (hearth, else an id of its own), who gets the "
                    "state_dir; root: none"},
                   {"force", 0, "", "start although another DHCP server answers or boot files are missing"},
                   {"http-rate", 0, "KIB", "KiB a second that HTTP sends at most, in all"},
                   {"http-rate-per-client", 0, "KIB", "KiB a second that HTTP sends to one address"},
                   {"quiet", 'q', "", "only warnings and errors on stderr"}},
       .run = with_loader(serve_site),
       .first = true},
      {.words = "pxe explain",
       .operands = "SITE MAC|NAME",
       .summary = "what a machine would do when it asks the network, and why",
       .details = "One sentence says what it does, the next why; then its address, the loader that each kind of "
                  "firmware gets, and the script. Starts nothing and asks nobody: what a conductor wants of its nodes "
                  "is told by `hearth why NODE`.\n\n"
                  "Example: hearth pxe explain site.yaml 52:54:00:00:00:01",
       .options = {},
       .run = with_loader(explain_machine)},
      {.words = "pxe boot-log",
       .operands = "SITE MAC|NAME",
       .summary = "what a machine asked for, and what it got, in order",
       .details = "",
       .options = {},
       .run = with_loader(show_boot_log)},
      {.words = "pxe export",
       .operands = "SITE",
       .summary = "write the DHCP part of a site for another server",
       .details = "TFTP and HTTP boot remain Hearth's: `hearth pxe serve` in mode proxy, or beside the other server.",
       .options = {{"for", 0, "SERVER", "dnsmasq, kea or isc", {"dnsmasq", "kea", "isc"}}},
       .run = with_loader(export_site)},
      {.words = "pxe tftp",
       .operands = "DIRECTORY",
       .summary = "serve a directory by TFTP, for reading",
       .details = "Speaks RFC 1350 with the options blksize, timeout, tsize and windowsize. No name and no link leads\n"
                  "out of DIRECTORY. Runs in the foreground until SIGINT or SIGTERM; each request is a line on stderr.",
       .options = {{"listen", 'l', "ADDRESS[:PORT]", "where to listen (default: 0.0.0.0:69)"},
                   {"interface", 'i', "NAME", "answer on this interface only"},
                   {"per-client", 0, "N", "transfers at once for one address (default: 64)"},
                   {"threads", 0, "N", "threads to use (default: 8 for each processor, at most 16)"},
                   {"max-blksize", 0, "BYTES", "largest block size agreed to (default: 65464)"},
                   {"quiet", 'q', "", "no line for each request"}},
       .run = serve_tftp}};
}

}  // namespace hearth::pxe
