// Starts an image under TCG and waits for what is expected on its console: disk_boot IMAGE bios|uefi|uefi-4k SECONDS
// REGEX…
#include <cstdio>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/vm/image_boot.hpp"

namespace hearth::vm {
namespace {

int run(const std::vector<std::string>& words) {
  SystemClock clock;
  const TempDir scratch = TempDir::create(fs::temp_directory_path(), "hearth-boot-");
  const QemuMachine machine{.image = words[0],
                            .image_format = image_format_of(words[0]),
                            .firmware = words[1] == "bios" ? FirmwareKind::bios : FirmwareKind::uefi,
                            .cpus = 2,
                            .sector_size = words[1] == "uefi-4k" ? 4096U : 512U};
  const Deadline deadline = Deadline::after(std::chrono::seconds(parse_number(words[2]).value_or(300)), clock);
  const BootReport report = test_image(machine, {words.begin() + 3, words.end()}, deadline, scratch.path(), clock);
  std::fputs(report.text().c_str(), stdout);
  return report.passed ? 0 : 1;
}

}  // namespace
}  // namespace hearth::vm

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 4) {
    std::fputs("usage: disk_boot IMAGE bios|uefi|uefi-4k SECONDS REGEX...\n", stderr);
    return 2;
  }
  try {
    return hearth::vm::run(words);
  } catch (const hearth::Error& error) {
    std::fprintf(stderr, "%s\n", error.story().c_str());
    return error.exit_code();
  }
}
