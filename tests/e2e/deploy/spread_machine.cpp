// A machine in the deploy ramdisk, for spread_test.py: the agent with its own sockets, threads and image writer, on a
// disk that is a file and a card that is only named. usage: spread_machine NAME=VALUE… as on the kernel command line,
// and besides: disk=FILE card=MAC, lies (in each frame that it gives one byte is wrong).
//
// It says on standard output when its image begins and when it is there, by the clock that all processes share.
#include <csignal>
#include <cstdio>
#include <iostream>

#include <unistd.h>

#include "agent/deploy/agent.hpp"
#include "base/check.hpp"
#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/net/web_client.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {
namespace {

void say_when(const std::string& what) {
  const auto now = SystemClock().now().time_since_epoch();
  cli::print(cat(what, " ", std::chrono::duration_cast<std::chrono::milliseconds>(now).count(), "\n"));
  std::fflush(stdout);
}

class FileMachine final : public Machine {
 public:
  FileMachine(std::string disk, std::string mac) : disk_(std::move(disk)), mac_(std::move(mac)) {}
  std::vector<Disk> disks() override {
    return {{.name = disk_, .size = static_cast<std::uint64_t>(fs::file_size(disk_))}};
  }
  std::vector<Nic> nics() override { return {{.name = "eth0", .mac = mac_, .has_carrier = true}}; }
  Json inventory() override { return Json::object(); }
  Json pci_devices() override { return Json::array(); }
  std::string install_bootloader(const Disk&) override { return "none is needed"; }
  std::string install_grub(const GrubWish&) override { return "none is needed"; }
  void make_file_system(const std::string&, const std::string&, const std::string&) override {}
  WrittenImage write_image(const ImageInfo& image, const std::string& device, WriterWorld& world,
                           WriteProgress& progress) override {
    say_when("begin");
    WrittenImage written = deploy::write_image(image, device, world, progress);
    cli::print(cat("from peers ", progress.from_peers.load(), "\n"));
    say_when("end");
    return written;
  }
  std::string finish_partitions(const Disk&, const std::string&) override { return ""; }
  void let_in(const Json&) override {}
  void end(Ending) override {}

 private:
  std::string disk_;
  std::string mac_;
};

/// Its port gives what is wrong.
class LyingSurroundings final : public Surroundings {
 public:
  explicit LyingSurroundings(const Clock& clock) : real_(clock) {}
  std::string address_towards(const Url& url) override { return real_.address_towards(url); }
  std::shared_ptr<void> listen(std::uint16_t port, RestServer::Handler handler, const TlsIdentity* tls,
                               RestServer::Admission admits) override {
    const auto lying = [handler](const ServedRequest& request) {
      RestAnswer answer = handler(request);
      if (!answer.parts) return answer;
      answer.parts = [parts = answer.parts, told = std::string()]() mutable -> std::string_view {
        told = parts();
        constexpr std::size_t k_head = 1000;  // a part's, and its delimiter, are shorter
        if (told.size() > k_head) told[told.size() / 2] = static_cast<char>(told[told.size() / 2] ^ 1);
        return told;
      };
      return answer;
    };
    return real_.listen(port, lying, tls, std::move(admits));
  }
  CommandBoard::Beside beside() override { return real_.beside(); }
  void wake() override { real_.wake(); }
  bool wait(Duration duration) override { return real_.wait(duration); }

 private:
  RealSurroundings real_;
};

int run(const std::vector<std::string>& words) {
  const std::map<std::string, std::string> named = parse_kernel_line(join(words, " "));
  const Settings settings = settings_of(named);
  ::signal(SIGPIPE, SIG_IGN);
  SystemClock clock;
  const Environment env = current_environment();
  WebClient http(clock, env, "hearth-agent");
  Dialer dialer(clock, env);
  Console console(clock, STDERR_FILENO);
  FileMachine machine(named.at("disk"), named.at("card"));
  OrderWorld world{machine, http, dialer, clock, console};
  RealSurroundings honest(clock);
  LyingSurroundings lying(clock);
  std::string go;
  std::getline(std::cin, go);  // all begin at once
  static_cast<void>(Agent(settings, world, named.contains("lies") ? static_cast<Surroundings&>(lying) : honest).run());
  return 0;
}

}  // namespace
}  // namespace hearth::agent::deploy

int main(int count, char** words) {
  try {
    return hearth::agent::deploy::run({words + 1, words + count});
  } catch (const hearth::Error& error) {
    hearth::cli::tell(hearth::cat("spread_machine: ", error.story(), "\n"));
    return 1;
  }
}
