#include "builder/described_images.hpp"

#include <algorithm>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/spec/image_description.hpp"

namespace hearth::builder {

namespace {

std::vector<ImageDescription> read_descriptions(const DescribedBuild& described) {
  std::vector<DescriptionText> texts;
  for (const std::string& file : described.files) {
    texts.push_back({file, read_file(fs::absolute(file, described.start_directory))});
  }
  return parse_image_descriptions(texts).value_or_throw();
}

ImageRequest described_request(const ImageDescription& image, const DescribedBuild& described) {
  try {
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

int build_one(const ImageRequest& request, const std::function<int(const ImageRequest&)>& build) {
  try {
    return build(request);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted) throw;
    cli::tell(cat("hearth: image ", request.image_name, ": ", error.story(), "\n"));
    return error.exit_code();
  }
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

int build_described_images(const DescribedBuild& described, const std::function<int(const ImageRequest&)>& build) {
  const std::vector<ImageDescription> images = read_descriptions(described);
  std::vector<ImageRequest> requests;
  for (const ImageDescription& image : images) requests.push_back(described_request(image, described));
  int last_failure = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    cli::tell(cat(images[i].command_line(), "\n"));
    if (described.dry_run) continue;
    const int code = build_one(requests[i], build);
    if (code != 0) last_failure = code;
    if (code != 0 && described.stop_on_failure) break;
  }
  return last_failure;
}

bool are_descriptions(const std::vector<std::string>& operands, const fs::path& start_directory) {
  return !operands.empty() && std::all_of(operands.begin(), operands.end(), [&](const std::string& operand) {
    return (ends_with(operand, ".yaml") || ends_with(operand, ".yml")) &&
           fs::is_regular_file(fs::absolute(operand, start_directory));
  });
}

}  // namespace hearth::builder
