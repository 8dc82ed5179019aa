#include "bootstrap/seed/remote.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

constexpr int k_unreachable = 255;  // ssh(1): an error of its own

/// An IPv6 address as scp wants it.
std::string host_of(const std::string& address) {
  return address.find(':') == std::string::npos ? address : cat("[", address, "]");
}

}  // namespace

/// Nobody sits in front of it, and an address that changes its machine may answer slowly.
std::vector<std::string> Remote::beginning(const std::string& program) const {
  std::vector<std::string> argv = {
      program, "-o", "BatchMode=yes", "-o", "ConnectTimeout=30", "-o", "ServerAliveInterval=15"};
  for (const std::string& option : options_) argv.insert(argv.end(), {"-o", option});
  return argv;
}

CommandResult Remote::done(const std::string& address, const std::vector<std::string>& argv) const {
  Command command;
  command.argv = argv;
  CommandResult result = runner_.run(command);
  if (succeeded(result.status)) return result;
  const std::string said(trim(result.err));
  if (result.status == ExitStatus(Exited{k_unreachable})) {
    throw Error(ErrorKind::external, cat("ssh to ", user_, "@", address, ": ", said))
        .hint(cat("root is to be let in with a key, and without a question: ssh -o BatchMode=yes ", user_, "@", address,
                  " true; --ssh-option gives options"));
  }
  throw Error(ErrorKind::external,
              cat("on ", address, ": ", said.empty() ? cat(argv.front(), ": ", describe(result.status)) : said));
}

std::string Remote::run(const std::string& address, const std::vector<std::string>& words) const {
  std::vector<std::string> argv = beginning("ssh");
  argv.insert(argv.end(), {cat(user_, "@", address), "--", shell_join(words)});  // a shell reads it there
  return done(address, argv).out;
}

void Remote::copy(const std::string& address, const std::vector<fs::path>& files, const fs::path& folder) const {
  std::vector<std::string> argv = beginning("scp");
  argv.emplace_back("-q");
  for (const fs::path& file : files) argv.push_back(file.string());
  argv.push_back(cat(user_, "@", host_of(address), ":", folder.string(), "/"));
  static_cast<void>(done(address, argv));
}

}  // namespace hearth::bootstrap
