#include "pxe/commands.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "base/error.hpp"
#include "base/text.hpp"
#include "pxe/content.hpp"
#include "pxe/log_lines.hpp"
#include "pxe/net/reactor.hpp"
#include "pxe/tftp/server.hpp"

namespace hearth::pxe {

namespace {

Reactor* running_reactor = nullptr;  ///< for the signal handler only

void stop_on_signals(Reactor& reactor) {
  running_reactor = &reactor;
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    action.sa_handler = [](int) { running_reactor->stop(); };
    ::sigaction(number, &action, nullptr);
  }
}

/// Each transfer takes two descriptors.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
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

std::uint64_t number(const cli::Arguments& arguments, const std::string& option, std::uint64_t fallback) {
  const std::optional<std::string> text = arguments.value(option);
  const std::optional<std::uint64_t> value = text ? parse_number(*text) : fallback;
  if (!value || *value == 0 || *value > 65535)
    throw Error(ErrorKind::usage, cat("--", option, ": '", *text, "' is not a number from 1 to 65535"));
  return *value;
}

class DirectoryContent final : public ContentSource {
 public:
  explicit DirectoryContent(const std::string& directory) : root_(directory) {}
  [[nodiscard]] std::variant<Content, Refusal> open(const ContentRequest& request) override {
    return root_.open(request.name);
  }

 private:
  FileRoot root_;
};

int serve_tftp(const cli::Arguments& arguments) {
  if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name one directory");
  DirectoryContent content(arguments.operands().front());
  raise_descriptor_limit();
  SystemClock clock;
  FdLogger logger(STDERR_FILENO, arguments.has("quiet") ? LogLevel::error : LogLevel::info);
  LoggedRequests log(logger);
  Reactor reactor(clock);
  tftp::Limits limits;
  limits.transfers_per_client = number(arguments, "per-client", limits.transfers_per_client);
  limits.block_size = static_cast<std::uint32_t>(number(arguments, "max-blksize", limits.block_size));
  tftp::Server server(reactor, content, log, limits);
  const Endpoint at =
      server.listen(parse_listen(arguments.value_or("listen", "0.0.0.0")), arguments.value_or("interface", ""));
  logger.info(cat("serving ", arguments.operands().front(), " by TFTP on ", to_text(at)));
  stop_on_signals(reactor);
  reactor.run();
  return 0;
}

}  // namespace

std::vector<cli::Command> commands() {
  return {{.words = "pxe tftp",
           .operands = "DIRECTORY",
           .summary = "serve a directory by TFTP, for reading",
           .details =
               "Speaks RFC 1350 with the options blksize, timeout, tsize and windowsize. No name and no link leads\n"
               "out of DIRECTORY. Runs in the foreground until SIGINT or SIGTERM; each request is a line on stderr.",
           .options = {{"listen", 'l', "ADDRESS[:PORT]", "where to listen (default: 0.0.0.0:69)"},
                       {"interface", 'i', "NAME", "answer on this interface only"},
                       {"per-client", 0, "N", "transfers at once for one address (default: 64)"},
                       {"max-blksize", 0, "BYTES", "largest block size agreed to (default: 65464)"},
                       {"quiet", 'q', "", "no line for each request"}},
           .run = serve_tftp}};
}

}  // namespace hearth::pxe
