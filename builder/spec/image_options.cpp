#include "base/text.hpp"
#include "builder/elements/condition_values.hpp"
#include "builder/fetch/fetch_plan.hpp"
#include "builder/output/format.hpp"
#include "builder/spec/checked_values.hpp"
#include "builder/spec/image_request.hpp"

namespace hearth::builder {

namespace {

std::vector<cli::Option> content_options() {
  return cli::under(
      k_content,
      {{"", 'a', "ARCH", "architecture of the image (default: this machine's)", known_architectures()},
       {"", 'n', "", "do not add the element 'base'"},
       {"", 'p', "PACKAGE[,…]|@FILE", "packages to install after install.d, or a file that lists them; repeatable"},
       {"install-type", 0, "TYPE", "default way to install: source, package, repo or any", known_install_types()},
       {"metadata", 0, "FILE",
        "bake this JSON as local Heat metadata (adds the element heat-metadata); or a compiled directory"},
       {"server", 0, "NAME", "which server's of a compiled directory, by path, name or id"},
       {"ramdisk-element", 0, "ELEMENT", "main element of ramdisk-image-create (default: ramdisk)"},
       {"accept-cycles", 0, "", "accept element-deps that form a cycle, as diskimage-builder does"}});
}

std::vector<cli::Option> result_options() {
  return cli::under(
      k_results,
      {{"", 'o', "NAME",
        "output: NAME.TYPE for each type, NAME.d for manifests and the log; a directory that is not there is made "
        "(default: image)"},
       {"", 't', "TYPE[,TYPE…]",
        cat(replace_all(join(format_type_names(), ", "), "qcow2, ", "qcow2 (default), "), "; several at once"),
        format_type_names(), "", alike_format_names()},
       {"", 'u', "", "do not compress qcow2"},
       {"compression",
        0,
        "KIND",
        "of qcow2: fast (default; any QEMU reads it), best (smaller), zstd (QEMU 5.1) or none",
        {"fast", "best", "zstd", "none"}},
       {"qemu-img-options", 0, "K=V[,…]", "options for qemu-img convert -o"},
       {"docker-target", 0, "REPO:TAG", "name of the image that -t docker writes, for docker load"},
       {"container-config", 0, "INSTRUCTION",
        "how containers of docker and oci images start, as a Dockerfile says it: 'CMD [\"nginx\"]', 'ENV A=1', "
        "ENTRYPOINT, EXPOSE, LABEL, STOPSIGNAL, USER, VOLUME or WORKDIR; repeatable"},
       {"checksum", 0, "", "write FILE.md5 and FILE.sha256"},
       {"checksums", 0, "KIND[,…]", "write these checksum files: md5, sha256, sha512", {"md5", "sha256", "sha512"}},
       {"sign-key", 0, "FILE",
        "sign the provenance, and with it all that lies beside the image, with this Ed25519 key (PEM)"},
       {"image-version", 0, "VERSION",
        "version of the image, for the provenance (image verify can ask for a least one) and for the disk's UUIDs"},
       {"builder", 0, "ID", "who builds, for the provenance (default: urn:hearth:builder)"}});
}

std::vector<cli::Option> disk_options() {
  return cli::under(
      k_disk, {{"image-size", 0, "SIZE",
                "size of the disk, to which 525 MiB are added where it has an EFI system partition: 3G or 3GiB, 3GB "
                "(10^9 bytes), or plain GiB with decimals (default: as the tree needs)"},
               {"image-extra-size", 0, "SIZE", "space to add to the root file system: 500MiB, or plain MiB"},
               {"root-label", 0, "LABEL", "label of the root file system (default: cloudimg-rootfs)"},
               {"mkfs-options", 0, "OPTIONS", "further options for the root file system's mkfs"},
               {"mkfs-journal-size", 0, "SIZE", "ext4 journal: MiB, or 128MiB (default: 64)"},
               {"max-online-resize", 0, "BLOCKS", "ext4: blocks that the file system can grow to while mounted"},
               {"disk-maker",
                0,
                "MAKER",
                "who makes the disk: direct (user space), guestfs (libguestfs), auto (default)",
                {"direct", "guestfs", "auto"}}});
}

std::vector<cli::Option> reuse_options() {
  std::vector<cli::Option> options = cli::under(
      k_reuse,
      {{"image-cache", 0, "DIR", "where downloads are kept (default: ~/.cache/image-create)"},
       {"no-cache", 0, "", "run every step; keep nothing for later builds (also HEARTH_CACHE=0)"},
       {"refresh", 0, "", "look at the package repositories now, even if that was done within the last hour"},
       {"if-outdated", 0, "",
        "build only where something that is in the image has moved on: a newer version of one of its packages, not "
        "just "
        "any news of a repository (hearth image outdated)"},
       {"fresh-from", 0, "PHASE", "run every step from PHASE (root, install, …) on", phase_names()},
       {"remote-cache", 0, "URL",
        "share layers by the HTTP cache protocol: URL/ac and URL/cas (also HEARTH_REMOTE_CACHE, which may have a "
        "password)"},
       {"remote-cache-key", 0, "FILE",
        "Ed25519 key (PEM) that records there must be signed by; a private one signs what is uploaded; may be repeated "
        "(also HEARTH_REMOTE_CACHE_KEY=A:B)"},
       {"remote-cache-insecure", 0, "",
        "without a key, believe unsigned records; let layers pass by http (also HEARTH_REMOTE_CACHE_INSECURE=1)"},
       {"remote-cache-read-only", 0, "", "upload nothing there (also HEARTH_REMOTE_CACHE_READ_ONLY=1)"},
       {"offline", 0, "",
        "cut the network: replay what the lock file names (disk-image-create: do not refresh caches)"}});
  for (cli::Option& option : cli::under(k_reuse, fetch::fetch_options())) options.push_back(std::move(option));
  return options;
}

std::vector<cli::Option> watching_options() {
  return cli::under(
      k_watching,
      {{"", 'x', "", "trace hooks; twice: trace the helpers too"},
       {"strict", 0, "", "end before the first hook when something would be left out (what else is a warning)"},
       {"logfile", 0, "FILE", "append the log to FILE too"},
       {"break", 0, "POINT[,…]", "open a shell before-PHASE, after-PHASE or after-error", break_points()},
       {"", 'c', "", "clear the environment: hooks see only PATH, HOME, USER, TERM, LANG and what options set"},
       {"no-tmpfs", 0, "", "build on disk, under TMPDIR or TMP_DIR, not in memory"},
       {"min-tmpfs", 0, "GIB", "build in memory only if twice this is available (default: 2)"}});
}

}  // namespace

const std::vector<std::pair<std::string, std::string>>& words_in_place_of_options() {
  constexpr const char* k_release =
      "A release is named by a variable: DIB_RELEASE=trixie hearth image create …; in a file of images by the key "
      "release.";
  constexpr const char* k_mirror =
      "Packages come from DIB_DISTRIBUTION_MIRROR: DIB_DISTRIBUTION_MIRROR=http://deb.example.org/debian hearth image "
      "create …";
  constexpr const char* k_system = "The system is an element: debian-minimal, ubuntu-minimal; hearth element list.";
  constexpr const char* k_packages = "Packages are named by -p: -p nginx,curl.";
  constexpr const char* k_user =
      "The element devuser makes a user: DIB_DEV_USER_USERNAME=amy hearth image create … devuser; hearth help devuser.";
  static const std::vector<std::pair<std::string, std::string>> rows = {
      {"release", k_release},
      {"suite", k_release},
      {"mirror", k_mirror},
      {"s", "The disk's size is --image-size SIZE: --image-size 4G (DIB_IMAGE_SIZE); without it as the tree needs."},
      {"distribution", k_system},
      {"distro", k_system},
      {"os", k_system},
      {"package", k_packages},
      {"packages", k_packages},
      {"element", "Elements stand by themselves, without an option: hearth image create vm debian-minimal."},
      {"e", "A variable stands before the command: DIB_RELEASE=trixie hearth image create …"},
      {"env", "A variable stands before the command: DIB_RELEASE=trixie hearth image create …"},
      {"root-password", k_user},
      {"password", k_user},
      {"user", k_user},
      {"username", k_user},
      {"run-command", "What runs within the image is a hook of an element: hearth element new NAME."},
      {"firstboot", "What runs within the image is a hook of an element: hearth element new NAME."}};
  return rows;
}

const std::vector<cli::Option>& image_options() {
  static const std::vector<cli::Option> options = [] {
    std::vector<cli::Option> all;
    for (const auto& part : {content_options(), result_options(), disk_options(), reuse_options(), watching_options()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return options;
}

}  // namespace hearth::builder
