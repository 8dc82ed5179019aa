// What was asked for, as one finished value: resolve() is the only way in, for the command line, IMAGE.yaml, plan,
// layout and reproduce. It checks every value and reads the signing key and the lock's settings, so that nothing which
// can be known to be wrong is found out after the first hook. Everything after this reads the value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/cli/options.hpp"
#include "base/clock.hpp"
#include "base/hash.hpp"
#include "base/net/url.hpp"
#include "base/path.hpp"
#include "base/sys/process.hpp"
#include "base/sys/secret.hpp"
#include "builder/disk/maker_choice.hpp"
#include "builder/elements/phase.hpp"
#include "builder/evidence/record_keys.hpp"
#include "builder/fetch/fetch_plan.hpp"
#include "builder/output/container_config.hpp"
#include "builder/output/format.hpp"
#include "builder/qcow2/cluster_codec.hpp"

namespace hearth::builder {

/// What to do about element-deps that form a cycle: upstream accepts them silently.
enum class Cycles { refuse, accept };

struct ImageRequest {
  std::vector<std::string> elements;  ///< as composed: base first unless skipped
  bool skip_base = false;             ///< -n
  bool ramdisk = false;               ///< ramdisk-image-create: the elements write their own files, no disk is made
  bool default_layout = false;        ///< `vm` was listed, and no block-device-*: one is to be added where no element
                                      ///< provides block-device
  std::vector<fs::path> elements_path;
  std::vector<fs::path> fallback_elements;                    ///< searched behind Hearth's own: diskimage-builder's
  std::string architecture;                                   ///< Debian's name: amd64, arm64…
  fs::path output;                                            ///< stem, absolute: OUTPUT.qcow2, OUTPUT.d
  std::string image_name;                                     ///< IMAGE_NAME as hooks see it: the stem as given
  std::vector<OutputFormat> formats;                          ///< -t
  std::vector<std::string> packages;                          ///< -p
  qcow2::Compression compression = qcow2::Compression::fast;  ///< -u is none
  std::string qemu_img_options;
  std::string docker_target;              ///< REPOSITORY:TAG of the type docker
  ContainerConfig container;              ///< --container-config
  std::string aci_manifest;               ///< what the file of ACI_MANIFEST says; empty = none
  std::vector<std::string> gzip_program;  ///< DIB_GZIP_BIN, as words; empty = Hearth's own
  bool show_usage = false;                ///< DIB_SHOW_IMAGE_USAGE
  bool show_all_usage = false;            ///< DIB_SHOW_IMAGE_USAGE_FULL
  bool stamp_output = true;               ///< not DIB_NO_TIMESTAMP
  bool quiet = false;                     ///< DIB_QUIET, or a log file without it
  std::vector<HashKind> checksums;        ///< of files beside the outputs
  std::optional<double> image_size_gib;   ///< --image-size
  double extra_size_mib = 0;              ///< --image-extra-size
  std::uint64_t journal_size_mib = 64;    ///< --mkfs-journal-size
  std::string mkfs_options;
  std::optional<std::uint64_t> max_online_resize;  ///< blocks
  std::optional<std::uint32_t> sector_size;        ///< DIB_BLOCK_SIZE
  std::string root_label;
  std::optional<DiskMaker> disk_maker;  ///< --disk-maker; nothing = whichever can
  std::string root_fs_type = "ext4";
  fs::path cache;             ///< DIB_IMAGE_CACHE
  fs::path lock_files;        ///< DIB_LOCKFILES
  fs::path temporary_parent;  ///< TMPDIR or TMP_DIR or /tmp
  bool use_tmpfs = true;
  std::uint64_t min_tmpfs_gib = 2;
  bool offline = false;       ///< DIB_OFFLINE: hooks are not to refresh their caches
  fetch::FetchPlan fetching;  ///< what --record, --locked and --offline ask for
  int trace = 0;
  std::string install_type = "source";
  std::vector<std::string> breaks;  ///< before-PHASE, after-PHASE, after-error
  bool overwrite = false;
  bool strict = false;                  ///< what would be left out ends the build
  bool use_cache = true;                ///< layers of earlier builds
  bool refresh = false;                 ///< look at package repositories now, however lately that was done
  bool if_outdated = false;             ///< news of repositories count where they are of packages in the image
  std::optional<Phase> fresh_from;      ///< the first phase for which no layer is used
  std::uint64_t cache_limit = 0;        ///< bytes of layers
  std::uint64_t layer_worth_ms = 0;     ///< steps that took this long together make a layer
  bool copy_layers = false;             ///< as if the kernel had no overlay
  std::optional<Url> remote_cache;      ///< layers that a fleet shares
  bool remote_cache_read_only = false;  ///< nothing is uploaded there
  RecordKeys remote_cache_keys;
  std::uint64_t repository_age = 0;  ///< seconds for which a repository counts as unchanged
  Cycles cycles = Cycles::refuse;
  std::optional<fs::path> log_file;
  fs::path start_directory;
  Environment environment;             ///< the caller's, with what the options and the lock set
  std::set<std::string> from_lock;     ///< variables of `environment` that only the lock set: DIB_ENV tells the others
  std::vector<std::string> arguments;  ///< the command line, options first
  std::string arguments_text;          ///< DIB_ARGS: the same as a shell would read it, or as it was typed
  std::vector<fs::path> private_keys;  ///< files that were read for signing, canonical: hooks must not see them
  std::optional<Secret> signing_key;   ///< --sign-key: an Ed25519 private key, PEM
  std::string version;                 ///< --image-version, for the provenance and the disk's ids
  std::string builder;                 ///< --builder, for the provenance
  /// These elements, no others, are to run.
  std::optional<std::map<std::string, std::string>> element_digests;
};

/// Which of upstream's two programs is asked.
enum class BuildKind { disk, ramdisk };

/// Whose rules hold. Upstream's: element-deps may form cycles, and --offline alone leaves the network as it is.
enum class Manner { hearth, upstream };

/// Who asks, where, and how.
struct Caller {
  Environment environment;
  Environment settings = {};  ///< variables that go with the arguments, as an IMAGE.yaml sets them: -c leaves them
  fs::path start_directory;   ///< relative paths begin here
  Manner manner = Manner::hearth;
  BuildKind kind = BuildKind::disk;
  std::vector<std::string> typed = {};  ///< the words of a person or script, for DIB_ARGS; empty = those that mean it
  /// Of an image that is built again those of its first build, which hooks may write into it, for DIB_ARGS.
  std::optional<std::vector<std::string>> first_arguments = {};
  std::optional<std::map<std::string, std::string>> element_digests = {};  ///< see ImageRequest
  std::optional<std::vector<std::string>> local = {};  ///< servers of this machine; nothing = those `environment` names
};

/// The headings under which help shows options of `hearth image create`.
inline constexpr const char* k_content = "What is in the image";
inline constexpr const char* k_results = "What is written, and where";
inline constexpr const char* k_disk = "Disk and file systems";
inline constexpr const char* k_reuse = "Layers of earlier builds, downloads and the network";
inline constexpr const char* k_watching = "How it is run and watched";

/// The options that make up a request: of `hearth image create`, disk-image-create and all others that build or plan.
[[nodiscard]] const std::vector<cli::Option>& image_options();

/// Options that other image makers have ("mirror"), and what is typed here in their place.
[[nodiscard]] const std::vector<std::pair<std::string, std::string>>& words_in_place_of_options();

/// This machine's, as Debian names it: amd64, arm64.
[[nodiscard]] std::string host_architecture();

/// Arguments of a table that has image_options() to a finished request. Throws Error: usage for what is wrong in
/// options and variables, with upstream's words where it has some; input or not_found for files that they name.
[[nodiscard]] ImageRequest resolve(const cli::Arguments& arguments, const Caller& caller, const Clock& clock);

}  // namespace hearth::builder
