#include "builder/output/image_writer.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/disk/sparse_copy.hpp"

namespace hearth::builder {

namespace {

void copy_raw(const fs::path& raw, const AtomicFile& file) {
  if (::ftruncate(file.fd().get(), static_cast<off_t>(fs::file_size(raw))) != 0) {
    throw Error::from_errno("sizing", "the raw image");
  }
  copy_sparse(raw, file.proc_path(), 0);
}

}  // namespace

std::vector<std::string> convert_argv(const fs::path& raw, const OutputFormat& format, const std::string& target,
                                      const WriteOptions& options) {
  const bool vhd = format.name == "vhd";  // a fixed disk of exactly the size that its footer says, as Xen wants it
  std::vector<std::string> argv = {"qemu-img", "convert", "-f", "raw", "-O", vhd ? "vpc" : format.name,
                                   "-W",       "-m",      "8"};
  std::string settings = options.qemu_options;
  if (vhd && settings.empty()) settings = "subformat=fixed,force_size=on";
  if (format.name == "qcow2" && options.compress) {
    argv.emplace_back("-c");
    if (settings.find("compression_type=") == std::string::npos && settings.find("compat=0.10") == std::string::npos) {
      settings = settings.empty() ? "compression_type=zstd" : cat("compression_type=zstd,", settings);
    }
  }
  if (!settings.empty()) argv.insert(argv.end(), {"-o", settings});
  argv.insert(argv.end(), {raw.string(), target});
  return argv;
}

void write_image(const fs::path& raw, const OutputFormat& format, const fs::path& target, const WriteOptions& options,
                 CommandRunner& runner) {
  AtomicFile file = AtomicFile::create(target);
  if (format.kind == FormatKind::raw) {
    copy_raw(raw, file);
  } else {
    try {
      run_checked(runner, Command{.argv = convert_argv(raw, format, file.proc_path(), options)});
    } catch (Error& error) {
      throw error.during(cat("writing ", target.string()));
    }
  }
  file.commit();
}

}  // namespace hearth::builder
