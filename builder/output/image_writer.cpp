#include "builder/output/image_writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/stop_signals.hpp"
#include "base/text.hpp"
#include "builder/disk/copy/sparse_copy.hpp"
#include "builder/output/fixed_ids.hpp"
#include "builder/qcow2/writer.hpp"

namespace hearth::builder {

namespace {

void copy_raw(const fs::path& raw, const AtomicFile& file) {
  if (::ftruncate(file.fd().get(), static_cast<off_t>(fs::file_size(raw))) != 0) {
    throw Error::from_errno("sizing", "the raw image");
  }
  copy_sparse(raw, file.proc_path(), 0);
}

void copy_qcow2(const RawImage& raw, const AtomicFile& file, const WriteOptions& options) {
  qcow2::write_qcow2(qcow2::RawDisk(raw.file, raw.left_out), file.fd(),
                     {.compression = options.compression,
                      .backing_raw = options.backing,
                      .backing_file = options.backing.string(),
                      .earlier_image = options.earlier,
                      .index = options.index});
}

std::string qemu_name(const OutputFormat& format) { return format.name == "vhd" ? "vpc" : format.name; }

}  // namespace

std::vector<std::string> convert_argv(const fs::path& raw, const OutputFormat& format, const std::string& target,
                                      const WriteOptions& options) {
  const bool vhd = format.name == "vhd";  // a fixed disk of exactly the size that its footer says, as Xen wants it
  // In order (no -W) and one at a time: what is allocated in the order of completion lies elsewhere every time.
  std::vector<std::string> argv = {"qemu-img", "convert", "-f", "raw", "-O", qemu_name(format), "-m", "1"};
  std::string settings = options.qemu_options;
  if (vhd && settings.empty()) settings = "subformat=fixed,force_size=on";
  if (format.kind == FormatKind::qcow2 && options.compression != qcow2::Compression::none) {
    argv.emplace_back("-c");
    const bool chosen = settings.find("compression_type=") != std::string::npos;
    if (options.compression == qcow2::Compression::zstd && !chosen) settings = cat("compression_type=zstd,", settings);
  }
  if (!settings.empty()) argv.insert(argv.end(), {"-o", settings});
  argv.insert(argv.end(), {raw.string(), target});
  return argv;
}

std::vector<std::string> trial_argv(const OutputFormat& format, const std::string& target,
                                    const std::string& settings) {
  return {"qemu-img", "create", "-q", "-f", qemu_name(format), "-o", settings, target, "1G"};
}

bool takes_left_out(const OutputFormat& format, const std::string& qemu_options) {
  return format.kind == FormatKind::qcow2 && qemu_options.empty();
}

void write_image(const RawImage& raw, const OutputFormat& format, const fs::path& target, const WriteOptions& options,
                 CommandRunner& runner) {
  if (!raw.left_out.empty() && !takes_left_out(format, options.qemu_options)) {
    throw Error(ErrorKind::unsupported, cat("the raw disk is not whole, as ", format.name, " needs it"));
  }
  const auto write = [&](const AtomicFile& file) {
    if (format.kind == FormatKind::raw) {
      copy_raw(raw.file, file);
    } else if (takes_left_out(format, options.qemu_options)) {
      copy_qcow2(raw, file, options);
    } else {
      run_checked(runner, Command{.argv = convert_argv(raw.file, format, file.proc_path(), options)});
      fix_disk_ids(file.fd(), qemu_name(format), target.filename().string(), options.epoch);
    }
    StopSignals::check();
  };
  write_placed(target, options.checksums, write, options.together);
}

}  // namespace hearth::builder
