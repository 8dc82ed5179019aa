#include "base/cli/print.hpp"
#include "base/cli/table.hpp"
#include "base/cli/working.hpp"
#include "builder/commands.hpp"

#include <cstdio>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/progress.hpp"
#include "base/sys/file.hpp"
#include "base/sys/stoppable_runner.hpp"
#include "base/sys/user_places.hpp"
#include "base/text.hpp"
#include "builder/disk/layout/block_config.hpp"
#include "builder/disk/layout/image_size.hpp"
#include "builder/disk/layout/layout_view.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/evidence/tree_record.hpp"
#include "builder/guestfs/appliance_check.hpp"
#include "builder/guestfs/appliance_settings.hpp"
#include "builder/inspect/image_facts.hpp"
#include "builder/inspect/image_reader.hpp"
#include "builder/inspect/tree_diff.hpp"
#include "builder/inspect/tree_sizes.hpp"
#include "builder/installation.hpp"
#include "builder/output/format.hpp"
#include "builder/plan/disk_plan.hpp"
#include "builder/plan/plan_image.hpp"
#include "builder/run/image_build.hpp"
#include "builder/spec/checked_values.hpp"
#include "builder/vm/qemu_machine.hpp"

namespace hearth::builder {

namespace {

constexpr int k_differ = 3;

bool unicode() { return progress_style(current_environment(), false).unicode; }

/// Draws a disk in the form that the options ask for.
void draw(const LayoutNode& disk, const Json& further, const std::string& text, const cli::Arguments& arguments) {
  if (const auto file = arguments.value("svg")) RealFileSystem().write(*file, layout_svg(disk), {.mode = 0644});
  if (arguments.has("json")) {
    Json json = layout_json(disk);
    for (const auto& [key, value] : further.items()) json[key] = value;
    cli::print(json_document(json));
  } else {
    cli::print(cat(layout_text(disk, unicode(), cli::table_room()), text));
  }
}

std::optional<std::uint64_t> bytes_given(const cli::Arguments& arguments) {
  const auto text = arguments.value("size");
  if (!text) return std::nullopt;
  const bool is_plain = parse_number(*text).has_value();  // GiB, as in --image-size
  const std::optional<std::uint64_t> bytes = option_size(is_plain ? cat(*text, "GiB") : *text);
  if (!bytes || *bytes == 0)
    throw Error(ErrorKind::usage, cat("--size: not a size: ", *text)).hint("For example: 4GiB");
  return bytes;
}

struct Planned {
  DiskLayout layout;
  std::optional<MakerChoice> maker;
  std::optional<std::uint64_t> bytes = std::nullopt;  ///< that are asked for, and what comes on top
};

Planned planned_layout(const cli::Arguments& arguments, const fs::path& executable) {
  const std::string& first = arguments.operands().front();
  if (arguments.operands().size() == 1 && (first.ends_with(".yaml") || first.ends_with(".yml"))) {
    DiskLayout layout = parse_block_config(read_file(first), first, {}).value_or_throw();
    for (const std::string& warning : layout.warnings) cli::tell(cat(warning, "\n"));
    const MakerChoice maker = choose_maker(layout, std::nullopt);
    return {assign_ids(std::move(layout), first), maker};
  }
  const SystemClock clock;
  const ImageRequest request = resolve(
      arguments,
      {.environment = current_environment(), .start_directory = fs::current_path(), .manner = Manner::upstream}, clock);
  std::vector<std::string> notes;
  const BuildPlan plan =
      plan_image(RealFileSystem(), request, find_installation(current_environment(), executable).elements, notes);
  for (const std::string& note : notes) cli::tell(cat(note, "\n"));
  const DiskPlan disk = plan_disk(request, plan);
  std::optional<std::uint64_t> bytes;
  if (request.image_size_gib) bytes = image_size({}, {.image_gib = request.image_size_gib}, disk.layout);
  return {disk.layout, disk.maker, bytes};
}

/// One disk, or all where there are several.
LayoutNode disks_tree(const DiskLayout& layout, const std::optional<Placement>& placement) {
  LayoutNode first = layout_tree(layout, placement);
  if (layout.further.empty()) return first;
  LayoutNode all{.kind = "disks"};
  all.children.push_back(std::move(first));
  for (const DiskLayout& disk : layout.further) {
    std::optional<Placement> its;
    if (disk.size) its = place(disk, *disk.size);
    all.children.push_back(layout_tree(disk, its));
  }
  return all;
}

int layout(const cli::Arguments& arguments, const fs::path& executable) {
  if (arguments.operands().empty()) throw Error(ErrorKind::usage, "name elements, or a block-device file (.yaml)");
  const Planned planned = planned_layout(arguments, executable);
  std::optional<std::uint64_t> bytes = bytes_given(arguments);
  if (!bytes) bytes = planned.bytes ? planned.bytes : planned.layout.size;
  std::optional<Placement> placement;
  if (bytes) placement = place(planned.layout, *bytes);
  Json further;
  std::string text;
  if (planned.maker) {
    further["maker"] = name_of(planned.maker->maker);
    further["reason"] = planned.maker->reason;
    text = cat("Disk maker: ", name_of(planned.maker->maker), " (", planned.maker->reason, ")\n");
  }
  draw(disks_tree(planned.layout, placement), further, text, arguments);
  return 0;
}

/// Reads images with what the options say; the guest's lines go to stderr when asked for.
class ImageSource {
 public:
  explicit ImageSource(const cli::Arguments& arguments) {
    const Environment env = current_environment();
    options_.scratch = work_.path();
    for (const std::string& key : arguments.values("key")) options_.keys.emplace_back(key);
    if (arguments.has("no-guest")) return;
    const bool verbose = arguments.has("verbose");
    options_.start_guest = [env, this, verbose](const std::vector<GuestDrive>& drives) {
      check_appliance(env);
      ApplianceSettings settings = appliance_settings(env, image_cache(env), work_.path(), clock_);
      cli::tell("starting libguestfs' appliance…\n");
      if (verbose) settings.on_line = [](std::string_view line) { cli::tell(cat(std::string(line), "\n")); };
      return std::unique_ptr<Guest>(Appliance::start(settings, drives));
    };
  }
  ImageContents read(const fs::path& image) {
    if (!fs::exists(fs::absolute(image))) {
      Error error(ErrorKind::not_found, cat("there is no image ", fs::absolute(image).string()));
      std::vector<std::string> found;
      for (const std::string& format : format_type_names()) {
        if (fs::exists(cat(image.string(), ".", format))) found.push_back(cat(image.string(), ".", format));
      }
      if (!found.empty()) error.hint(cat("Did you mean ", join(found, " or "), "?"));
      throw error;
    }
    if (fs::exists(image / k_manifest_file) && image.extension() == ".d") {
      throw Error(ErrorKind::input, cat(image.string(), " is what a build says of its image, and no image"))
          .hint(cat("The image lies beside it: ", image.stem().string(), ".qcow2, say."));
    }
    if (!fs::is_regular_file(image) && !fs::is_directory(image)) {
      throw Error(ErrorKind::input, cat(image.string(), " is neither a file nor an archive"))
          .hint("Copy what is on a device into a file first.");
    }
    const cli::Working working(cat("reading ", image.filename().string()));
    try {
      require_whole(image);
      return read_image(image, options_, runner_);
    } catch (Error& error) {
      throw error.during(cat("reading the image ", image.string()));
    }
  }

 private:
  /// What a cut qcow2 lacks would be read as zeros.
  void require_whole(const fs::path& image) {
    if (!fs::is_regular_file(image) || vm::image_format_of(image) != "qcow2") return;
    Command command;
    command.argv = {"qemu-img", "check", "-f", "qcow2", fs::absolute(image).string()};
    constexpr int k_corrupt = 2;
    if (shell_code(runner_.run(command).status) != k_corrupt) return;
    throw Error(ErrorKind::input, "it is damaged, or cut short")
        .hint(cat("qemu-img check ", image.string(), " tells more."));
  }

  SystemClock clock_;
  StoppableRunner runner_{clock_};  // a raw disk in the temporary directory is large
  TempDir work_ = TempDir::create(temporary_directory(current_environment()), "hearth-inspect-");
  ReadImageOptions options_;
};

int inspect(const cli::Arguments& arguments) {
  if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name one image");
  const fs::path image = arguments.operands()[0];
  ImageSource source(arguments);
  const ImageContents contents = source.read(image);
  const ImageFacts facts = image_facts(system_tree(contents), contents.table);
  draw(contents_tree(contents, image.filename().string()), {{"system", facts_json(facts)}, {"read_by", contents.used}},
       cat("\n", facts_text(facts, cli::table_room()), "Read by       ", contents.used, "\n"), arguments);
  return 0;
}

/// Which step, of which element, wrote each file; empty where the build left no record beside the image.
FileWriters writers_beside(const std::string& image) {
  const RealFileSystem files;
  const fs::path directory = records_directory(image);
  const std::optional<std::string> record = files.read(directory / k_tree_file);
  if (!record) return {};
  evidence::require_tree_record(*record, (directory / k_tree_file).string());
  std::map<std::string, std::string> elements;
  const fs::path steps = directory / k_steps_file;
  if (const std::optional<std::string> text = files.read(steps)) {
    const Json report = parse_json(*text, steps.string()).value_or_throw();
    if (!member_or_null(report, "steps").is_array())
      throw Error(ErrorKind::input, cat(steps.string(), " is not a report of steps: it has no list of them"));
    for (const Json& step : report["steps"]) elements[text_member(step, "step")] = text_member(step, "element");
  }
  FileWriters writers;
  for (const auto& [path, file] : evidence::written_files(*record))
    writers[path] = {file.step, elements[file.step], file.size};
  return writers;
}

/// Which element asked for which package; empty where the build left no word of it beside the image.
PackageAskers askers_beside(const std::string& image) {
  const fs::path file = records_directory(image) / k_manifest_file;
  const std::optional<std::string> text = RealFileSystem().read(file);
  PackageAskers asked;
  if (!text) return asked;
  const Json manifest = parse_json(*text, file.string()).value_or_throw();
  for (const Json& each : list_member(manifest, "asked"))
    asked.emplace_back(text_member(each, "package"), text_member(each, "element"));
  return asked;
}

/// Of a file that is read: how large it is itself, and the disk in it.
struct FileSize {
  std::uint64_t file = 0;
  std::optional<std::uint64_t> disk;
};

FileSize size_of(const std::string& image, const ImageContents& contents) {
  FileSize size{.file = fs::is_regular_file(image) ? fs::file_size(image) : contents.bytes};
  if (contents.format != "archive") size.disk = contents.bytes;
  return size;
}

int sizes(const cli::Arguments& arguments) {
  if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name one image");
  const std::uint64_t rows = cli::number(arguments, "rows", 15);
  ImageSource source(arguments);
  FileSize size;
  const auto sizes_of = [&](const std::string& image) {
    const FileWriters writers = writers_beside(image);  // first: what is wrong there is told before an image is read
    const PackageAskers asked = askers_beside(image);
    const ImageContents contents = source.read(image);
    size = size_of(image, contents);
    TreeSizes sizes = tree_sizes(system_tree(contents), writers, asked);
    if (sizes.files == 0) throw Error(ErrorKind::input, cat("there is no file in the image ", image));
    return sizes;
  };
  const TreeSizes found = sizes_of(arguments.operands()[0]);
  const FileSize own = size;
  if (const std::optional<std::string> other = arguments.value("against")) {
    const TreeSizes before = sizes_of(*other);
    cli::print(arguments.has("json") ? json_document(sizes_difference_json(before, found))
                                     : sizes_difference_text(before, found, rows));
    return 0;
  }
  if (arguments.has("json")) {
    Json json = sizes_json(found);
    json["file_bytes"] = own.file;
    if (own.disk) json["disk_bytes"] = *own.disk;
    cli::print(json_document(json));
    return 0;
  }
  cli::print(cat("the file has ", human_bytes(own.file), own.disk ? cat(", its disk ", human_bytes(*own.disk)) : "",
                 "; in it are ", sizes_text(found, rows)));
  return 0;
}

int diff(const cli::Arguments& arguments) {
  if (arguments.operands().size() != 2) throw Error(ErrorKind::usage, "name two images");
  ImageSource source(arguments);
  const FileTree before = system_tree(source.read(arguments.operands()[0]));
  const FileTree after = system_tree(source.read(arguments.operands()[1]));
  std::optional<cli::Working> working(std::in_place, "comparing their files");
  const TreeDiff found =
      diff_trees(before, after, {.times = arguments.has("times"), .without = arguments.values("without")});
  working.reset();
  cli::print(arguments.has("json") ? json_document(diff_json(found)) : diff_text(found, arguments.has("all")));
  return found.empty() ? 0 : k_differ;
}

std::vector<cli::Option> reading_options() {
  return {{"key", 0, "FILE", "a key of an encrypted volume in the image; may be given more than once"},
          {"no-guest", 0, "", "read only what user space can: start no appliance"},
          {"verbose", 'v', "", "show the appliance's console"},
          {"json", 0, "", "print JSON"}};
}

cli::Command layout_command(const fs::path& executable) {
  std::vector<cli::Option> options = image_options();
  options.push_back({"size", 0, "SIZE", "draw the disk as large as this: 4GiB, 500MB, or plain GiB"});
  options.push_back({"json", 0, "", "print JSON"});
  options.push_back({"svg", 0, "FILE", "write a picture, too"});
  return {
      .words = "image layout",
      .operands = "ELEMENT… | FILE.yaml",
      .summary = "draw the disk that a build would make, and who would make it",
      .details =
          "The layout of the elements' block-device file, or of FILE.yaml, checked as a build checks it. Offsets and\n"
          "sizes are known once the disk's size is: by the file itself, or by --size.\n\n"
          "Exit codes: 0 ok, 1 the layout is wrong, 2 wrong usage.",
      .options = std::move(options),
      .run = [executable](const cli::Arguments& arguments) { return layout(arguments, executable); }};
}

}  // namespace

std::vector<cli::Command> inspect_commands(const fs::path& executable) {
  std::vector<cli::Option> inspecting = reading_options();
  inspecting.push_back({"svg", 0, "FILE", "write a picture of the disk, too"});
  std::vector<cli::Option> comparing = reading_options();
  comparing.push_back({"times", 0, "", "modification times count, too"});
  comparing.push_back({"without", 0, "PATH", "leave out what lies there; may be given more than once"});
  std::vector<cli::Option> weighing = reading_options();
  weighing.push_back({"against", 0, "OTHER", "say what has grown and shrunk since this image"});
  weighing.push_back({"rows", 0, "N", "how many rows of each table (15); --json has all"});
  comparing.push_back({"all", 0, "", "list also what lies below directories that only one image has"});
  return {layout_command(executable),
          {.words = "image inspect",
           .operands = "FILE",
           .summary = "tell what an image holds: partitions, file systems, system, boot loader",
           .details = "Reads disks in every format of qemu-img, archives and container images. ext and FAT are read "
                      "directly; xfs, btrfs, squashfs,\n"
                      "logical volumes, arrays and encrypted volumes by libguestfs, which takes some seconds.\n\n"
                      "Exit codes: 0 ok, 1 failed, 2 wrong usage.",
           .options = std::move(inspecting),
           .run = inspect},
          {.words = "image sizes",
           .operands = "IMAGE",
           .summary = "tell where an image's bytes are: by directory, package, element and step",
           .details =
               "Sizes are those of the files, as ls shows them; a file system may store them in fewer bytes. Which "
               "package a file is of\n"
               "is told by dpkg's lists; which element asked for it by the NAME.d/manifest.json that lies beside the "
               "image:\n"
               "what several ask for, or depend on, counts for the first of them, what every Debian has for the base "
               "system.\n"
               "Which step of its build wrote a file last, and of which element, is told by the NAME.d/tree.tsv "
               "that\n"
               "--record leaves there.\n\n"
               "Example: hearth image sizes web.qcow2 --against last-week.qcow2",
           .options = std::move(weighing),
           .run = sizes},
          {.words = "image diff",
           .operands = "IMAGE IMAGE",
           .summary = "tell how two images differ: packages, files, modes, owners, contents",
           .details = "The images may be of different kinds: a tar and the disk made from it have the same files.\n\n"
                      "Exit codes: 0 no difference, 3 they differ, 1 failed, 2 wrong usage.",
           .options = std::move(comparing),
           .run = diff}};
}

}  // namespace hearth::builder
