#include "builder/outdated/outdated.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/net/web_client.hpp"
#include "base/progress_text.hpp"
#include "base/sys/file_digest.hpp"
#include "base/sys/user_places.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/fetch/local_access.hpp"
#include "builder/fetch/local_places.hpp"
#include "builder/fetch/private_network.hpp"
#include "builder/outdated/release_signature.hpp"
#include "builder/store/layer_store.hpp"
#include "builder/store/repository_states.hpp"

namespace hearth::builder {

namespace {

constexpr int k_outdated = 3;
constexpr std::uint64_t k_kept_lists = std::uint64_t{1} << 30U;

std::set<std::string> architectures_of(const std::vector<BuildRecords>& images) {
  std::set<std::string> architectures;
  for (const BuildRecords& image : images) {
    for (const ListedPackage& package : image.packages) {
      if (package.manager == "deb" && package.architecture != "all") architectures.insert(package.architecture);
    }
  }
  return architectures;
}

/// A function that asks once for each thing.
template <class Answer>
std::function<Answer(const std::string&)> asked_once(std::function<Answer(const std::string&)> ask) {
  auto known = std::make_shared<std::map<std::string, Answer>>();
  return [known, ask = std::move(ask)](const std::string& what) {
    const auto found = known->find(what);
    return found != known->end() ? found->second : (*known)[what] = ask(what);
  };
}

/// NAME.d of each image that is named; of all in this directory when none is.
std::vector<fs::path> record_directories(const std::vector<std::string>& names) {
  std::vector<fs::path> directories;
  for (const std::string& name : names) directories.push_back(records_directory(name));
  if (!names.empty()) return directories;
  const RealFileSystem files;
  for (const std::string& name : files.list(".")) {
    if (name.ends_with(".d") && files.status(fs::path(name) / k_manifest_file)) directories.emplace_back(name);
  }
  if (directories.empty()) {
    throw Error(ErrorKind::not_found, "no image here was built by Hearth")
        .hint("Name images, or start this where NAME.d directories lie.");
  }
  return directories;
}

int outdated(const cli::Arguments& arguments) {
  const SystemClock clock;
  const Environment environment = current_environment();
  const std::string cache = arguments.value_or("image-cache", variable(environment, "DIB_IMAGE_CACHE"));
  std::vector<BuildRecords> images;
  std::vector<ImageAge> unreadable;
  for (const fs::path& directory : record_directories(arguments.operands())) {
    try {
      images.push_back(read_build_records(RealFileSystem(), directory));
    } catch (const Error& error) {  // the others are told all the same
      unreadable.push_back({.image = directory.stem().string(), .unknown = {error.story()}});
    }
  }
  std::vector<ImageAge> ages = image_ages(
      images,
      {.image_cache =
           fs::absolute(cache.empty() ? home_directory(environment) / ".cache/image-create" : fs::path(cache)),
       .environment = environment},
      clock);
  ages.insert(ages.end(), unreadable.begin(), unreadable.end());
  cli::print(arguments.has("json") ? json_document(age_json(ages)) : age_text(ages));
  const auto has = [&](auto test) { return std::any_of(ages.begin(), ages.end(), test); };
  if (has([](const ImageAge& age) { return age.is_outdated(); })) return k_outdated;
  return has([](const ImageAge& age) { return !age.unknown.empty(); }) ? 1 : 0;
}

}  // namespace

std::vector<ImageAge> image_ages(const std::vector<BuildRecords>& images, const OutdatedSetup& setup,
                                 const Clock& clock) {
  RealFileSystem files;
  fs::path directory = layer_directory(setup.image_cache) / "package-lists";  // hooks can't lead it elsewhere
  std::optional<TempDir> instead;
  try {
    files.make_directories(directory, 0755);
  } catch (const Error&) {  // a cache that others fill: lists are fetched for this time
    directory = instead.emplace(TempDir::create(fs::temp_directory_path(), "hearth-lists-")).path();
  }
  const bool is_apart = fetch::why_no_private_network(setup.environment).empty();
  const std::set<fetch::LocalPlace> places = fetch::local_places(setup.environment, files, {});
  // What builds noted is asked for as their hooks could have asked, and no further.
  WebClient client(clock, setup.environment, "hearth", is_apart ? fetch::as_hooks_reach(places) : AddressCheck());
  RealRunner runner(clock);
  const BlobStore lists(directory);
  Repositories repositories({.client = client,
                             .runner = runner,
                             .clock = clock,
                             .lists = lists,
                             .scratch = directory,
                             .keyrings = archive_keyrings(files, setup.environment),
                             .environment = setup.environment,
                             .architectures = architectures_of(images)});
  RepositoryStates states(layer_directory(setup.image_cache) / "repositories.json", client, clock, Duration::zero(),
                          setup.environment,
                          [&](const std::string& url) { return !is_apart || fetch::hooks_reach(url, places, clock); });
  const World world{
      .repository = [&](const std::string& url) -> const RepositoryLook& {
        if (::isatty(STDERR_FILENO) == 1) std::fprintf(stderr, "\r\033[Kasking %s…\r", clean_line(url).c_str());
        return repositories.at(url);
      },
      .offers = [&]() -> const PackageOffers& { return repositories.offers(); },
      .remote = asked_once<std::optional<std::string>>([&](const std::string& what) { return states.digest(what); }),
      .element = asked_once<std::optional<std::string>>([&](const std::string& path) -> std::optional<std::string> {
        try {
          return fs::is_directory(path) ? std::optional(directory_digest(path)) : std::nullopt;
        } catch (const Error&) {  // not an element's, or not ours to read
          return std::nullopt;
        }
      })};
  std::vector<ImageAge> ages;
  for (const BuildRecords& image : images) ages.push_back(image_age(image, world));
  if (::isatty(STDERR_FILENO) == 1) cli::tell("\r\033[K");
  (void)lists.prune(k_kept_lists);
  return ages;
}

cli::Command outdated_command() {
  return {
      .words = "image outdated",
      .operands = "[IMAGE…]",
      .summary = "tell which images are behind their repositories, branches and elements, without building",
      .details =
          "Reads NAME.d beside each image (without operands: of all images in this directory), and asks the\n"
          "repositories that it was built from what they have now: newer packages, those of security updates first;\n"
          "branches and documents that moved; elements that changed. Each server is asked once, however many images.\n"
          "\nExit codes: 0 all are up to date, 3 some are outdated, 1 something could not be told, 2 wrong usage.\n"
          "Example: hearth image outdated --json | jq -r '.images[] | select(.outdated) | .image'",
      .options = {{"json", 0, "", "print the result as JSON"},
                  {"image-cache", 0, "DIR", "where package lists are kept (default: ~/.cache/image-create)"}},
      .run = outdated};
}

}  // namespace hearth::builder
