#include "builder/frames/publish_command.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/cli/print.hpp"
#include "base/cli/working.hpp"
#include "base/error.hpp"
#include "base/frames/frame_map.hpp"
#include "base/frames/signature.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/sys/stoppable_runner.hpp"
#include "base/text.hpp"
#include "builder/frames/image_frames.hpp"

namespace hearth::builder::frames {

namespace {

int level_of(const cli::Arguments& arguments) {
  const auto level = parse_number(arguments.value_or("level", "6"));
  if (!level || *level < 1 || *level > 19) throw Error(ErrorKind::usage, "--level is a number from 1 to 19");
  return static_cast<int>(*level);
}

/// What a conductor has to know to have the image written: the members of Ironic's image_info.
Json description(const fs::path& target, const Published& published, const PublishOptions& options) {
  Json info = {{"id", target.filename().string()}, {"disk_format", "frames"},     {"os_hash_algo", "hearth-frames"},
               {"os_hash_value", published.root},  {"size", published.file_size}, {"disk_size", published.disk_size}};
  if (!options.key_pem.empty()) info["public_key"] = hearth::frames::public_key_of(options.key_pem);
  return info;
}

/// Whether signed frames are what lies there.
bool is_signed(const fs::path& target) {
  if (!fs::is_regular_file(target)) return false;
  std::string head(hearth::frames::k_head_bytes, '\0');
  const Fd file = Fd::open(target.string(), O_RDONLY);
  const ssize_t got = ::read(file.get(), head.data(), head.size());
  head.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  const Result<hearth::frames::Head> parsed = hearth::frames::parse_head(head, target.string());
  return parsed && parsed->is_signed;
}

int publish(const cli::Arguments& arguments) {
  if (arguments.operands().size() != 2) throw Error(ErrorKind::usage, "name the image and the file to write");
  const fs::path source = fs::absolute(arguments.operands()[0]);
  const fs::path target = fs::absolute(arguments.operands()[1]);
  PublishOptions options{.level = level_of(arguments)};
  if (const auto key = arguments.value("sign")) options.key_pem = read_file(*key);
  if (options.key_pem.empty() && is_signed(target))
    cli::tell(cat("note: ", arguments.operands()[1], " is signed, and will not be: there is no --sign KEY\n"));
  const SystemClock clock;
  StoppableRunner runner(clock);  // what was begun beside FILE is as large as the disk
  const TempDir scratch = TempDir::create(target.parent_path(), ".hearth-publish.");
  std::optional<cli::Working> working(std::in_place, cat("writing ", target.filename().string()));
  AtomicFile out = AtomicFile::create(target);
  const Published published = write_image_frames(source, scratch.path(), out.fd(), options, runner);
  out.commit();
  working.reset();
  const Json info = description(target, published, options);
  RealFileSystem().write(target.string() + ".json", format_json(info, {.indent = 2}) + "\n", {});
  cli::print(cat(target.string(), ": ", human_bytes(published.file_size), " for a disk of ",
                 human_bytes(published.disk_size), ", ", published.frames, " frames\nroot ", published.root, "\n"));
  return 0;
}

}  // namespace

cli::Command publish_command() {
  return {.words = "image publish",
          .operands = "IMAGE FILE",
          .summary = "make a disk image ready to be written to machines from the network",
          .details =
              "Writes FILE (frames that can be checked, decompressed and written side by side; base/frames/README.md)\n"
              "and FILE.json, what a conductor tells the deploy ramdisk of it. The same disk gives the same file.\n"
              "Example: hearth image publish --sign site.key web.qcow2 web.frames",
          .options = {{"sign", 0, "KEY", "sign with this Ed25519 private key (PEM)"},
                      {"level", 0, "N", "of the compression, 1 to 19 (default: 6)"}},
          .run = publish};
}

}  // namespace hearth::builder::frames
