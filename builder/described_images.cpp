#include "builder/described_images.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/spec/image_description.hpp"
#include "builder/spec/machine_settings.hpp"

namespace hearth::builder {

namespace {

std::vector<ImageDescription> read_descriptions(const DescribedBuild& described) {
  std::vector<DescriptionText> texts;
  for (const std::string& file : described.files) {
    texts.push_back({file, read_file(fs::absolute(file, described.start_directory))});
  }
  return parse_image_descriptions(texts).value_or_throw();
}

/// Where this machine shares layers, with what password, is no matter of a file that others have, too.
void refuse_machine_settings(const ImageDescription& image) {
  const cli::Arguments given = cli::parse_options(image_options(), image.words);
  std::string what;
  for (const cli::Option& option : image_options()) {
    if (option.name.starts_with("remote-cache") && given.has(option.key())) what = option.display();
  }
  for (const auto& [variable, value] : image.environment) {
    if (is_of_machine(variable)) what = variable;
  }
  if (what.empty()) return;
  throw Error(ErrorKind::input, cat(what, " is a matter of the machine, not of a file of images"))
      .hint("Say it in /etc/hearth.conf or ~/.config/hearth/hearth.conf, in the environment, or on the command line.");
}

ImageRequest described_request(const ImageDescription& image, const DescribedBuild& described) {
  try {
    refuse_machine_settings(image);
    const SystemClock clock;
    std::vector<std::string> words = image.words;
    words.insert(words.begin(), described.words.begin(), described.words.end());
    return resolve(cli::parse_options(image_options(), words),
                   {.environment = described.environment,
                    .settings = image.environment,
                    .start_directory = described.start_directory,
                    .manner = Manner::upstream,
                    .kind = image.ramdisk ? BuildKind::ramdisk : BuildKind::disk},
                   clock);
  } catch (const Error& error) {
    throw Error(ErrorKind::input, cat(image.source, ": image '", image.name, "': ", error.story()));
  }
}

}  // namespace

std::vector<FleetImage> described_images(const DescribedBuild& described) {
  std::vector<FleetImage> images;
  std::vector<std::string> faults;
  for (const ImageDescription& image : read_descriptions(described)) {
    try {
      images.push_back({described_request(image, described), image.name, image.source, image.shown_command_line(),
                        image.checks, image.publish});
    } catch (const Error& error) {
      faults.push_back(error.story());
    }
  }
  if (!faults.empty()) throw Error(ErrorKind::input, join(faults, "\n"));
  require_own_outputs(images);
  return images;
}

bool are_descriptions(const std::vector<std::string>& operands, const fs::path& start_directory) {
  return !operands.empty() && std::all_of(operands.begin(), operands.end(), [&](const std::string& operand) {
    return (has_suffix(operand, ".yaml") || has_suffix(operand, ".yml")) &&
           fs::is_regular_file(fs::absolute(operand, start_directory));
  });
}

}  // namespace hearth::builder
