#include "builder/output/convert_command.hpp"

#include <algorithm>
#include <optional>

#include "base/cli/print.hpp"
#include "base/cli/working.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/stoppable_runner.hpp"
#include "base/text.hpp"
#include "builder/output/image_writer.hpp"
#include "builder/vm/qemu_machine.hpp"

namespace hearth::builder {

std::vector<std::string> disk_types() {
  std::vector<std::string> types = format_type_names();
  std::erase_if(types, [](const std::string& type) { return !parse_formats(type).front().from_disk(); });
  return types;
}

namespace {

OutputFormat format_of(const cli::Arguments& arguments, const fs::path& target) {
  std::string name = arguments.value_or("t", "");
  const bool by_name = name.empty() && target.has_extension();
  if (by_name) name = target.extension().string().substr(1);
  if (by_name && target.stem().extension() == ".tar") name = cat("tar.", name);  // tar.zst
  if (name.empty() || name == "img") name = "raw";
  const std::vector<std::string> types = disk_types();
  if (std::find(types.begin(), types.end(), name) != types.end()) return parse_formats(name).front();
  const std::optional<std::string> meant = nearest(name, types);
  throw Error(ErrorKind::usage, cat("a disk can't become '", name, "'", by_name ? ", as FILE's name ends" : "",
                                    meant ? cat("; did you mean ", *meant, "?") : ""))
      .hint(cat("What FILE ends in, or -t says, is one of ", join(types, ", "), ".",
                is_format(name) ? cat(" hearth image create -t ", name, " makes one from elements.") : ""));
}

/// The raw disk that `source` holds: itself, or what qemu-img makes of it in `scratch`.
fs::path raw_copy(const fs::path& source, const fs::path& scratch, CommandRunner& runner) {
  const std::string format = vm::image_format_of(source);
  if (format == "raw") return source;
  fs::path raw = scratch / "disk.raw";
  run_checked(runner,
              Command{.argv = {"qemu-img", "convert", "-f", format, "-O", "raw", source.string(), raw.string()}});
  return raw;
}

/// The bytes of an archive would become a disk that nothing starts from.
void require_disk(const fs::path& source, const OutputFormat& format) {
  const bool is_directory = fs::is_directory(source);
  if (!is_directory && (vm::image_format_of(source) != "raw" || !vm::is_archive(source))) return;
  throw Error(ErrorKind::input, cat(source.string(), " is ", is_directory ? "a directory" : "an archive",
                                    ", and only a disk can be written as one"))
      .hint(cat("hearth image create -t ", format.name, " makes a disk of the same elements."));
}

int convert(const cli::Arguments& arguments) {
  if (arguments.operands().size() != 2) throw Error(ErrorKind::usage, "name the image and the file to write");
  const fs::path source = fs::absolute(arguments.operands()[0]);
  const fs::path target = fs::absolute(arguments.operands()[1]);
  const OutputFormat format = format_of(arguments, target);
  if (!fs::exists(source)) throw Error(ErrorKind::not_found, cat("there is no image ", source.string()));
  require_disk(source, format);
  WriteOptions options{.compression = qcow2::parse_compression(arguments.value_or("compression", "fast"))};
  options.backing = arguments.value_or("backing", "");
  if (!options.backing.empty() && (format.kind != FormatKind::qcow2 || vm::image_format_of(options.backing) != "raw")) {
    throw Error(ErrorKind::usage, "--backing is for a qcow2 image over a raw disk");
  }
  const SystemClock clock;
  StoppableRunner runner(clock);  // what was begun beside FILE is as large as the disk
  const TempDir scratch = TempDir::create(target.parent_path(), ".hearth-convert.");
  std::optional<cli::Working> working(std::in_place, cat("writing ", target.filename().string()));
  try {
    write_image(raw_copy(source, scratch.path(), runner), format, target, options, runner);
  } catch (Error& error) {
    throw error.during(cat("writing ", target.string()));
  }
  working.reset();
  cli::tell(cat(arguments.operands()[1], ": ", human_bytes(fs::file_size(target)), "\n"));
  return 0;
}

}  // namespace

cli::Command convert_command() {
  return {
      .words = "image convert",
      .operands = "IMAGE FILE",
      .summary = "write a disk image in another format",
      .details =
          "FILE appears complete or not at all. qcow2 is written by Hearth itself, on all processors, the same bytes\n"
          "each time; other formats, and reading any but raw, by qemu-img.\n"
          "On a terminal a line shows how long it has taken.\n"
          "Example: hearth image convert --compression best disk.raw disk.qcow2",
      .options = {{"", 't', "TYPE", "the format (default: by FILE's extension)"},
                  {"compression", 0, "KIND", "of qcow2: fast (default), best, zstd or none"},
                  {"backing", 0, "RAW", "write only what differs from this raw disk, as a qcow2 image over it"}},
      .run = convert};
}

}  // namespace hearth::builder
