#include <algorithm>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/disk/ext/ext_fill.hpp"
#include "builder/disk/ext/ext_times.hpp"
#include "builder/disk/file_system_maker.hpp"

namespace hearth::builder {

namespace {

/// Our own mke2fs.conf: what an image holds must not depend on the host's file. The features are those that GRUB 2.06
/// and kernels from 4.x on read, so neither metadata_csum_seed nor orphan_file.
constexpr std::string_view k_mke2fs_conf =
    "[defaults]\n"
    "  base_features = sparse_super,large_file,filetype,resize_inode,dir_index,ext_attr\n"
    "  default_mntopts = acl,user_xattr\n"
    "  enable_periodic_fsck = 0\n"
    "  blocksize = 4096\n"
    "  inode_size = 256\n"
    "  inode_ratio = 16384\n"
    "[fs_types]\n"
    "  ext3 = {\n"
    "    features = has_journal\n"
    "  }\n"
    "  ext4 = {\n"
    "    features = has_journal,extent,huge_file,flex_bg,metadata_csum,64bit,dir_nlink,extra_isize\n"
    "  }\n";

/// Options of the user with all -E values taken out: mke2fs keeps only its last -E.
struct SplitOptions {
  std::vector<std::string> words;
  std::vector<std::string> extended;
};

SplitOptions split_extended(const std::vector<std::string>& options) {
  SplitOptions result;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i] == "-E" && i + 1 < options.size()) {
      result.extended.push_back(options[++i]);
    } else if (options[i].starts_with("-E") && options[i].size() > 2) {
      result.extended.push_back(options[i].substr(2));
    } else {
      result.words.push_back(options[i]);
    }
  }
  return result;
}

std::vector<std::string> mke2fs_argv(const FileSystemJob& job, const fs::path& source) {
  const DiskFileSystem& file_system = job.file_system;
  SplitOptions options = split_extended(file_system.options);
  options.extended.push_back(cat("offset=", job.extent.offset));
  options.extended.push_back(cat("hash_seed=", file_system.uuid));
  options.extended.emplace_back("lazy_itable_init=0,lazy_journal_init=0,nodiscard,root_owner=0:0");
  std::vector<std::string> argv = {"mke2fs",
                                   "-q",
                                   "-F",
                                   "-t",
                                   file_system.type,
                                   "-L",
                                   file_system.label,
                                   "-U",
                                   file_system.uuid,
                                   "-E",
                                   join(options.extended, ",")};
  argv.insert(argv.end(), options.words.begin(), options.words.end());
  if (!source.empty()) argv.insert(argv.end(), {"-d", source.string()});
  argv.insert(argv.end(), {job.image.string(), cat(job.extent.length / 1024, "K")});
  return argv;
}

/// By our own means; false where only mke2fs can do it.
bool fill(const FileSystemJob& job) {
  if (!can_fill_ext(job.image, job.extent, job.source)) return false;
  if (job.left_out == nullptr) {
    fill_ext(job.image, job.extent, job.source);
  } else {
    std::vector<FilePiece> data = lay_out_ext(job.image, job.extent, job.source);
    job.left_out->insert(job.left_out->end(), std::make_move_iterator(data.begin()),
                         std::make_move_iterator(data.end()));
  }
  return true;
}

}  // namespace

void make_ext(const FileSystemJob& job, CommandRunner& runner) {
  const fs::path config = job.scratch / "mke2fs.conf";
  RealFileSystem().write(config, k_mke2fs_conf, {});
  Environment env = maker_environment(job.epoch);
  env["MKE2FS_CONFIG"] = config.string();
  const auto make = [&](const fs::path& source) {
    run_checked(runner, Command{.argv = mke2fs_argv(job, source), .env = env});
  };
  try {
    make("");
    if (!job.source.empty() && !fill(job)) make(job.source);
  } catch (Error& error) {
    throw error.hint("If no block or inode is free, give a larger --image-size; else see --mkfs-options.");
  }
  normalise_ext(job.image, job.extent, job.source, job.epoch);
}

}  // namespace hearth::builder
