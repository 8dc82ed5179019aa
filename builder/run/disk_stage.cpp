#include "builder/run/disk_stage.hpp"

#include <algorithm>
#include <ctime>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/disk/direct_maker.hpp"
#include "builder/output/checksums.hpp"
#include "builder/output/container_image.hpp"
#include "builder/output/image_writer.hpp"
#include "builder/output/old_output.hpp"
#include "builder/output/squashfs.hpp"
#include "builder/output/tree_archive.hpp"
#include "builder/sandbox/sandbox.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_kib = 1024;
constexpr double k_mib_per_gib = 1024;
constexpr const char* k_loop_device = "/dev/loop0";  // what upstream's builder usually gets

std::string variable(const Environment& env, const std::string& name, std::string fallback = "") {
  const auto found = env.find(name);
  return found == env.end() ? std::move(fallback) : found->second;
}

struct ConfigText {
  std::string text;
  std::string source;
};

std::optional<ConfigText> given_config(const Environment& env) {
  static constexpr std::string_view scheme = "file://";
  const std::string given = variable(env, "DIB_BLOCK_DEVICE_CONFIG");
  if (given.empty()) return std::nullopt;
  if (given.compare(0, scheme.size(), scheme) != 0) return ConfigText{given, "DIB_BLOCK_DEVICE_CONFIG"};
  const std::string path = given.substr(scheme.size());
  return ConfigText{read_file(path), path};
}

/// The first hit wins: what the user gives, then the elements in order, then a plain file system.
ConfigText find_config(const ImageRequest& request, const BuildPlan& plan) {
  if (std::optional<ConfigText> given = given_config(request.environment)) return *given;
  const bool power = request.architecture == "ppc64le" || request.architecture == "ppc64el";
  const std::string own = cat("block-device-", power ? "ppc64el" : request.architecture, ".yaml");
  for (const Element& element : plan.elements.elements) {
    for (const std::string& name : {own, std::string("block-device-default.yaml")}) {
      const fs::path path = element.path / name;
      if (std::optional<std::string> text = RealFileSystem().read(path)) return {std::move(*text), path.string()};
    }
  }
  return {std::string(builtin_block_config()), "built-in layout"};
}

LayoutDefaults layout_defaults(const ImageRequest& request) {
  const std::optional<std::uint64_t> resize = parse_number(request.max_online_resize);
  LayoutDefaults defaults{
      .root_type = request.root_fs_type,
      .root_options = root_mkfs_options(request.root_fs_type, request.journal_size_mib, resize, request.mkfs_options),
      .root_label = request.root_label};
  if (const auto size = parse_number(variable(request.environment, "DIB_BLOCK_SIZE"))) {
    defaults.sector_size = static_cast<std::uint32_t>(*size);
  }
  return defaults;
}

/// The ids of a disk follow from what it is made of: building the same again gives the same bytes.
std::string id_seed(const ImageRequest& request, const BuildPlan& plan) {
  return cat(request.image_name, "\n", request.architecture, "\n", join(plan.elements.names(), " "), "\n",
             join(request.packages, " "));
}

std::int64_t source_date_epoch(const Environment& env) {
  const std::optional<std::uint64_t> given = parse_number(variable(env, "SOURCE_DATE_EPOCH"));
  return given ? static_cast<std::int64_t>(*given) : static_cast<std::int64_t>(std::time(nullptr));
}

/// A ramdisk build makes no disk, nor does one with the element no-final-image, or whose name holds that (upstream
/// looks for the text in the list): the elements write their own files.
std::vector<OutputFormat> wanted_formats(const ImageRequest& request, const BuildPlan& plan) {
  std::vector<OutputFormat> formats = parse_formats(join(request.types, ","));
  const bool no_disk = request.ramdisk || join(plan.elements.names(), " ").find("no-final-image") != std::string::npos;
  if (no_disk) {
    const auto is_disk = [](const OutputFormat& format) { return format.from_disk(); };
    formats.erase(std::remove_if(formats.begin(), formats.end(), is_disk), formats.end());
  }
  return formats;
}

bool any_disk(const std::vector<OutputFormat>& formats) {
  for (const OutputFormat& format : formats) {
    if (format.from_disk()) return true;
  }
  return false;
}

}  // namespace

BootOptions DiskStage::boot_options(const Environment& env, std::int64_t epoch) const {
  BootOptions options{.epoch = epoch, .keep_config = boot_loader_ == BootLoader::foreign};
  if (const auto timeout = parse_number(variable(env, "DIB_GRUB_TIMEOUT")))
    options.timeout = static_cast<int>(*timeout);
  options.consoles = {variable(env, "DIB_BOOTLOADER_VIRTUAL_TERMINAL", "tty0")};
  if (to_lower(variable(env, "DIB_BOOTLOADER_USE_SERIAL_CONSOLE", "True")) == "true") {
    options.consoles.push_back(variable(env, "DIB_BOOTLOADER_SERIAL_CONSOLE", "ttyS0,115200"));
  }
  options.extra_command_line = variable(env, "DIB_BOOTLOADER_DEFAULT_CMDLINE");
  return options;
}

DiskStage::BootLoader DiskStage::boot_loader_of(const BuildPlan& plan) {
  const Element* const element = plan.elements.find("bootloader");
  if (element == nullptr) return BootLoader::none;
  return element->built_in ? BootLoader::ours : BootLoader::foreign;
}

DiskStage DiskStage::plan(const ImageRequest& request, const BuildPlan& plan) {
  const ConfigText config = find_config(request, plan);
  DiskLayout layout = parse_block_config(config.text, config.source, layout_defaults(request)).value_or_throw();
  std::vector<OutputFormat> formats = wanted_formats(request, plan);
  if (any_disk(formats)) require_direct(layout);
  return {request, config.text, assign_ids(std::move(layout), id_seed(request, plan)), boot_loader_of(plan),
          std::move(formats)};
}

DiskFacts DiskStage::facts() const {
  DiskFacts facts;
  for (const DiskFileSystem& file_system : layout_.file_systems) {
    if (file_system.mount_point == "/") {
      facts.root_label = file_system.label;
      facts.root_fs_type = file_system.type;
    } else if (file_system.mount_point == "/boot") {
      facts.boot_label = file_system.label;
    }
    if (!file_system.mount_point.empty()) facts.mount_points.push_back(file_system.mount_point);
  }
  facts.device = k_loop_device;
  facts.devices = cat(" [", layout_.disk, "]=", k_loop_device, " ");
  for (std::size_t i = 0; i < layout_.partitions.size(); ++i) {
    facts.devices += cat(" [", layout_.partitions[i].name, "]=/dev/mapper/loop0p", i + 1, " ");
  }
  return facts;
}

void DiskStage::write_parameters(const fs::path& directory) const {
  fs::create_directories(directory);
  RealFileSystem files;
  const fs::path config = directory / "config.yaml";
  files.write(config, config_, {});
  files.write(directory / "params.yaml",
              cat("config: ", config.string(), "\nimage-dir: ", k_image_directory.string(),
                  "\nroot-fs-type: ", request_.root_fs_type, "\nroot-label: ", request_.root_label,
                  "\nmount-base: ", k_target_root.string(), "\nbuild-dir: ", k_build_directory.string(), "\n"),
              {});
}

void DiskStage::check_tools(const Environment& environment) const {
  std::vector<NeededProgram> programs = programs_for(formats_);
  if (any_disk(formats_)) {
    const std::vector<NeededProgram> makers = programs_for(layout_);
    programs.insert(programs.end(), makers.begin(), makers.end());
    if (boot_loader_ != BootLoader::none) require_grub(firmware_of(layout_), boot_options(environment, 0), environment);
  }
  require_programs(programs, environment);
}

std::string DiskStage::grub_facts() const {
  const char* const table = layout_.table == PartitionTable::gpt   ? "gpt"
                            : layout_.table == PartitionTable::mbr ? "msdos"
                                                                   : "none";
  std::vector<const DiskFileSystem*> mounted;
  for (const DiskFileSystem& file_system : layout_.file_systems) {
    if (file_system.holds_files()) mounted.push_back(&file_system);
  }
  std::reverse(mounted.begin(), mounted.end());  // the innermost mount decides
  std::string text;
  for (const DiskFileSystem* const file_system : mounted) {
    const std::size_t number = file_system->partition ? *file_system->partition + 1 : 0;
    const std::string type = file_system->is_ext() ? "ext2" : file_system->is_fat() ? "fat" : file_system->type;
    text += cat(file_system->mount_point, " ", k_loop_device, number > 0 ? cat("p", number) : "", " ", table, " ",
                number, " ", type, " ", file_system->uuid, " ", file_system->label, "\n");
  }
  return text;
}

std::uint64_t DiskStage::size_kib(const TreeUsage& usage) const {
  const SizeRule rule{
      .image_gib = request_.image_size_gib,
      .extra_gib = request_.extra_size_mib > 0 ? std::optional(request_.extra_size_mib / k_mib_per_gib) : std::nullopt,
      .journal_mib = request_.journal_size_mib};
  return image_size(usage, rule, layout_) / k_kib;
}

void DiskStage::prepare(const fs::path& root, const Environment& environment) const {
  prepare_tree(root, layout_, source_date_epoch(environment));
}

std::vector<fs::path> DiskStage::write(const fs::path& root, const DiskTools& tools) const {
  const std::int64_t epoch = source_date_epoch(tools.environment);
  const fs::path raw = k_image_directory / "image0.raw";
  if (any_disk(formats_)) tools.step("disk", [&] { make_raw(root, raw, tools, epoch); });
  std::vector<fs::path> created;
  const SystemClock clock;
  for (const OutputFormat& format : formats_) {
    const fs::path target = cat(request_.output.string(), ".", format.extension());
    tools.step(cat("output ", target.filename().string()), [&] {
      if (!request_.overwrite && format.from_disk()) keep_old_output(target, clock);
      write_one(format, target, root, raw, tools, epoch);
      write_checksums(target, parse_checksums(join(request_.checksums, ",")));
    });
    created.push_back(target);
  }
  return created;
}

void DiskStage::write_one(const OutputFormat& format, const fs::path& target, const fs::path& root, const fs::path& raw,
                          const DiskTools& tools, std::int64_t epoch) const {
  if (format.from_disk()) {
    write_image(raw, format, target, {request_.compress, request_.qemu_img_options}, tools.runner);
  } else if (format.kind == FormatKind::squashfs) {
    write_squashfs(root, target, epoch, tools.runner);
  } else if (format.kind == FormatKind::docker) {
    const ContainerImage image{request_.docker_target, request_.architecture, epoch};
    write_container_image(root, target, image, k_temporary_directory);
  } else {
    const bool aci = format.name == "aci";
    write_tree_archive(root, target,
                       {.compression = format.name == "tgz" ? Compression::gzip : Compression::none,
                        .epoch = epoch,
                        .prefix = aci ? "rootfs" : ".",
                        .manifest = aci ? request_.aci_manifest : fs::path()});
  }
}

void DiskStage::make_raw(const fs::path& root, const fs::path& raw, const DiskTools& tools, std::int64_t epoch) const {
  const BootOptions boot = boot_options(tools.environment, epoch);
  const bool loader = boot_loader_ != BootLoader::none;
  if (loader) write_boot_files(root, layout_, boot, k_temporary_directory, tools.runner);
  const std::uint64_t bytes = size_kib(measure_tree(root)) * k_kib;
  const Placement placement = place(layout_, bytes);
  require_room(root, layout_, placement);
  make_disk(root, layout_, placement, raw, {.scratch = k_temporary_directory, .epoch = epoch}, tools.runner);
  if (loader) install_bios_boot(raw, layout_, placement, boot, k_temporary_directory, tools.runner);
}

}  // namespace hearth::builder
