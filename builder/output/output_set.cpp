#include "builder/output/output_set.hpp"

#include <cerrno>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/parallel.hpp"
#include "base/text.hpp"
#include "builder/boot/boot_tree.hpp"
#include "builder/boot/live_iso.hpp"
#include "builder/boot/unified_kernel.hpp"
#include "builder/disk/layout/image_size.hpp"
#include "builder/output/container_image.hpp"
#include "builder/packing/output_file.hpp"
#include "builder/packing/pipe_stage.hpp"
#include "builder/packing/squashfs.hpp"
#include "builder/packing/tree_archive.hpp"

namespace hearth::builder {

namespace {

/// DIB_GZIP_BIN, as upstream calls it.
void gzip_by_program(std::vector<std::string> argv, const Fd& in, int out) {
  argv.emplace_back("-9");
  const SystemClock clock;
  Child child = Child::spawn({.argv = argv, .in = in.get(), .out = out});
  const ExitStatus status = child.wait(Deadline::never(), clock).value_or(Exited{1});
  if (succeeded(status)) return;
  throw Error(ErrorKind::external, cat("compressing by DIB_GZIP_BIN (", shell_join(argv), "): ", describe(status)));
}

void write_archive(const Output& output, const OutputSource& source, const OutputSettings& settings) {
  const std::string& name = output.format.name;
  const bool aci = name == "aci";
  fs::path manifest;
  if (aci && !settings.aci_manifest.empty()) {
    manifest = source.scratch / "aci-manifest";
    RealFileSystem().write(manifest, settings.aci_manifest, {.mode = 0644});
  }
  const ArchiveOptions options{.compression = name == "tar.zst" ? Compression::zstd : Compression::none,
                               .epoch = source.epoch,
                               .prefix = aci ? "rootfs" : ".",
                               .manifest = manifest};
  write_streamed(output.target, settings.checksums, [&](int fd) {
    if (name != "tgz") return stream_tree_archive(source.tree, fd, options);
    PipeStage gzip([fd, &settings](const Fd& in) {
      if (settings.gzip_program.empty()) return gzip_stream(in, fd);
      gzip_by_program(settings.gzip_program, in, fd);
    });
    stream_tree_archive(source.tree, gzip.input(), options);
    gzip.finish();
  });
}

void write_file_system(const Output& output, const OutputSource& source, const OutputSettings& settings,
                       CommandRunner& runner) {
  const TempDir work = TempDir::create(source.scratch, "file-system-");
  const fs::path raw = work.path() / "raw";
  settings.make_file_system(output.format.name, raw);
  write_image(raw, {"raw", FormatKind::raw}, output.target, settings.disk, runner);
}

void write_bytes(const fs::path& target, const std::vector<HashKind>& checksums, std::string_view bytes) {
  write_streamed(target, checksums, [&](int fd) {
    const Fd copy = Fd(::dup(fd));
    write_all(copy, bytes, target.string());
  });
}

void write_kernel(const Output& output, const OutputSource& source, const OutputSettings& settings) {
  const KernelBytes kernel = read_kernel(source.tree, source.layout);
  write_bytes(output.target, settings.checksums, kernel.kernel);
  if (!kernel.initrd.empty()) write_bytes(files_of(output).back(), settings.checksums, kernel.initrd);
}

void write_container(const Output& output, const OutputSource& source, const OutputSettings& settings) {
  const ContainerImage image{settings.container_tag, settings.architecture, source.epoch, settings.checksums,
                             settings.container};
  switch (output.format.kind) {
    case FormatKind::docker: return write_container_image(source.tree, output.target, image, source.scratch);
    case FormatKind::oci: return write_oci_layout(source.tree, output.target, image, output.kept);
    default: return write_oci_archive(source.tree, output.target, image, source.scratch);
  }
}

void write_iso(const Output& output, const OutputSource& source, const OutputSettings& settings,
               CommandRunner& runner) {
  const LiveIso iso{.tree = source.tree,
                    .layout = source.layout,
                    .boot = source.boot,
                    .title = os_release_field(source.tree, "PRETTY_NAME", "Linux"),
                    .scratch = source.scratch};
  const TempDir work = TempDir::create(source.scratch, "iso-");
  const fs::path raw = work.path() / "iso";  // xorriso writes only into a file that has a name
  make_live_iso(iso, raw, runner);
  write_image(raw, {"raw", FormatKind::raw}, output.target, settings.disk, runner);
}

}  // namespace

std::vector<fs::path> files_of(const Output& output) {
  std::vector<fs::path> files = {output.target};
  if (output.format.kind == FormatKind::kernel) files.push_back(fs::path(output.target).replace_extension("initrd"));
  return files;
}

void write_output(const Output& output, const OutputSource& source, const OutputSettings& settings,
                  CommandRunner& runner) {
  const ReadOnlyImage read_only{source.epoch, settings.checksums};
  switch (output.format.kind) {
    case FormatKind::raw:
    case FormatKind::qcow2:
    case FormatKind::qemu: return write_image(source.raw, output.format, output.target, settings.disk, runner);
    case FormatKind::archive: return write_archive(output, source, settings);
    case FormatKind::squashfs: return write_squashfs(source.tree, output.target, read_only, runner);
    case FormatKind::erofs: return write_erofs(source.tree, output.target, read_only, runner);
    case FormatKind::file_system: return write_file_system(output, source, settings, runner);
    case FormatKind::docker:
    case FormatKind::oci:
    case FormatKind::oci_archive: return write_container(output, source, settings);
    case FormatKind::kernel: return write_kernel(output, source, settings);
    case FormatKind::uki:
      return write_bytes(output.target, settings.checksums, unified_kernel_of(source.tree, source.layout, source.boot));
    case FormatKind::iso: return write_iso(output, source, settings, runner);
  }
}

namespace {

/// What was begun is gone by now, and what is free tells how much there was.
std::string room_wanted(const Output& output, const OutputSource& source) {
  const fs::path directory = output.target.parent_path();
  boost::system::error_code failed;
  const auto free = fs::space(directory, failed).available;
  if (failed) return "Make room there.";
  return cat("Make room there: ", human_bytes(free), " are free in ", directory.string(), ", and the tree has ",
             human_bytes(measure_tree(source.tree).bytes), ", before it is compressed.");
}

/// What failed may know no name: a stream, a descriptor.
Error& told_of(const Output& output, const OutputSource& source, Error& error) {
  if (error.system_error() == ENOSPC || error.system_error() == EDQUOT)
    error.hint(cat(room_wanted(output, source), " The earlier outputs are as they were."));
  return error.during(cat("writing ", output.target.string()));
}

}  // namespace

void write_outputs(const std::vector<Output>& outputs, const OutputSource& source, const OutputSettings& settings,
                   CommandRunner& runner, unsigned at_once) {
  for_each_in_threads(outputs.size(), at_once, [&](std::size_t i) {
    try {
      write_output(outputs[i], source, settings, runner);
    } catch (Error& error) {
      throw told_of(outputs[i], source, error);
    }
  });
}

}  // namespace hearth::builder
