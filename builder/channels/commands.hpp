// `hearth image channel …`, publishing in channels, and images of channels wherever a command takes an image.
#pragma once

#include <string>
#include <vector>

#include "base/cli/command.hpp"
#include "base/path.hpp"

namespace hearth::builder::channels {

[[nodiscard]] std::vector<cli::Command> commands();

/// `hearth image publish` as it is, and with --to PLACE --channel CHANNEL in place of FILE.
[[nodiscard]] cli::Command with_channels(cli::Command publish);

/// Which channels a command takes images from, and whom it believes.
[[nodiscard]] std::vector<cli::Option> source_options();

/// For completion: of "NAME@CHANNEL" those that the place of --from has, of "CHANNEL" the channels there. `words` are
/// those typed behind the command. Only of a directory: others take their time.
[[nodiscard]] std::vector<std::string> known_names(const std::string& what, const std::vector<std::string>& words);

/// The file that a word names: itself, or for NAME@CHANNEL, where there is no such file, the image of that channel,
/// once it was fetched and checked. Throws Error.
[[nodiscard]] fs::path image_named(const std::string& word, const cli::Arguments& arguments);

}  // namespace hearth::builder::channels
