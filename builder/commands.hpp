// The builder's rows of the command table: image create, image plan, element list and their like.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/cli/command.hpp"
#include "base/json.hpp"
#include "base/path.hpp"

namespace hearth::builder {

/// `executable` is this program's own path, from which its data files are found.
[[nodiscard]] std::vector<cli::Command> commands(const fs::path& executable);

/// The field's own programs, which hearth is under a link of that name: disk-image-create, ramdisk-image-create,
/// diskimage-builder, disk-image-get-kernel, element-info and dib-lint. They have upstream's manners: the whole log on
/// stdout, --version, cycles accepted.
[[nodiscard]] std::vector<cli::Command> link_commands(const fs::path& executable);

// `hearth cache …` and `hearth image why`: what is kept of earlier builds, and why a build did what it did.
[[nodiscard]] std::vector<cli::Command> cache_commands();

/// How an image came to be, as its builds noted it.
struct ImageStory {
  Json report;         ///< of its last build's steps, empty where there is none; a later one that failed: "unfinished"
  std::string table;   ///< of the steps, for people; no line wider than `room`
  fs::path directory;  ///< where it is noted
};
/// Throws where nothing is known of it, or what is there is no report.
[[nodiscard]] ImageStory image_story(const std::string& image, std::size_t room);

// hearth image layout, inspect and diff.
[[nodiscard]] std::vector<cli::Command> inspect_commands(const fs::path& executable);

// The rows `element …` of the command table, and element-info, the field's own program.
[[nodiscard]] std::vector<cli::Command> element_commands(const fs::path& executable);

/// The names of all elements that can be found, for completion; none where they can't be read.
[[nodiscard]] std::function<std::vector<std::string>()> element_names(const fs::path& executable);

/// The README of the element of this name, as a page; nothing where no element has it.
[[nodiscard]] std::optional<cli::Topic> element_topic(const std::string& name, const fs::path& executable);

/// Which elements have the variable of this name, with what their READMEs say of it; nothing where none has.
[[nodiscard]] std::optional<cli::Topic> variable_topic(const std::string& name, const fs::path& executable);

/// Which elements read each variable, of all that can be found.
[[nodiscard]] std::map<std::string, std::vector<std::string>> variables_of_elements(const fs::path& executable);

/// What builds of the images that a file describes would warn of, a line each; nothing where they can't be planned.
[[nodiscard]] std::vector<std::string> warnings_of(const std::string& file, const fs::path& executable);

/// What the program's table calls `what` behind these words of a command, for completion: images of a file (--only),
/// steps of a build (--until), types of disks (image convert -t). None where they can't be told.
[[nodiscard]] std::vector<std::string> known_names(const std::string& what, const std::vector<std::string>& words,
                                                   const fs::path& executable);

/// element-info: the elements that a list expands to, for people and for shells. It looks where a build does.
[[nodiscard]] cli::Command element_info(const fs::path& executable);

/// dib-lint: the checks that diskimage-builder's has, of all elements in ELEMENTS_DIR, in its words at begin and end.
[[nodiscard]] cli::Command dib_lint(const fs::path& executable);

/// dib-block-device: what diskimage-builder's shell library asks of a disk layout; what would make disks is refused.
[[nodiscard]] cli::Command dib_block_device();

}  // namespace hearth::builder
