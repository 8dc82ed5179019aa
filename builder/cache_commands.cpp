#include "builder/commands.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <map>
#include <set>

#include "base/cli/layout.hpp"
#include "base/cli/table.hpp"
#include "base/cli/working.hpp"
#include "base/error.hpp"
#include "base/hex.hpp"
#include "base/json.hpp"
#include "base/progress.hpp"
#include "base/sys/file.hpp"
#include "base/sys/stoppable_runner.hpp"
#include "base/sys/user_places.hpp"
#include "base/text.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/fetch/fetch_session.hpp"
#include "builder/fetch/fetched_cache.hpp"
#include "builder/fetch/git_answers.hpp"
#include "builder/report/last_build.hpp"
#include "builder/report/timing.hpp"
#include "builder/run/step_report.hpp"
#include "builder/spec/machine_settings.hpp"
#include "builder/store/nginx_config.hpp"
#include "builder/store/store_archive.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_most_days = 36500;
constexpr std::uint64_t k_most_gib = std::uint64_t{1} << 30U;
constexpr const char* k_nginx_directory = "/srv/hearth-cache";
constexpr const char* k_where = "where downloads and layers are kept (default: ~/.cache/image-create)";

LayerStore store_of(const cli::Arguments& arguments) {
  Environment env = current_environment();
  env.merge(machine_settings(env).variables);
  const std::string given = arguments.value_or("image-cache", env["DIB_IMAGE_CACHE"]);
  const fs::path cache = fs::absolute(given.empty() ? home_directory(env) / ".cache/image-create" : fs::path(given));
  if (fs::exists(cache) && !fs::is_directory(cache))
    throw Error(ErrorKind::input, cat("the cache ", cache.string(), " is no directory"))
        .hint("--image-cache DIR, DIB_IMAGE_CACHE and image-cache in hearth.conf name it.");
  return LayerStore(layer_directory(cache));
}

/// One that is named to be looked at must be there; the usual one may not have been made yet.
LayerStore known_store_of(const cli::Arguments& arguments) {
  if (const auto given = arguments.value("image-cache"); given && !fs::exists(*given)) {
    throw Error(ErrorKind::not_found, cat("there is no cache ", fs::absolute(*given).string()));
  }
  return store_of(arguments);
}

std::string day_of(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts)};
}

fs::path fetched_here() { return fetch::fetch_directory(current_environment()); }

/// "0a1b2c3d4e5f  2026-11-26 22:57 UTC  140.2 MiB  WHAT"; on a terminal WHAT is wrapped in its column.
std::string list_line(const std::string& digest, std::int64_t last_used, std::uint64_t bytes, const std::string& what,
                      std::size_t room) {
  constexpr std::size_t k_size = 10;
  const std::string size = human_bytes(bytes);
  const std::string begin = cat(digest.substr(0, 12), "  ", day_of(last_used), "  ",
                                std::string(k_size - std::min(size.size(), k_size), ' '), size, "  ");
  const bool fits = room == 0 || cli::columns(begin) + cli::columns(what) <= room;
  return cat(begin, fits ? what : cli::wrapped(what, room, begin.size(), begin.size()), "\n");
}

void list_fetches(bool each_one) {
  const std::size_t room = cli::table_room();
  const std::vector<fetch::FetchedObject> objects = fetch::list_fetched(fetched_here());
  std::uint64_t total = 0;
  for (const fetch::FetchedObject& object : objects) {
    if (each_one)
      cli::print(list_line(object.sha256, object.last_used, object.bytes,
                           object.url.empty() ? "(from where is not known any more)" : object.url, room));
    total += object.bytes;
  }
  cli::print(cat(human_bytes(total), " fetched, ", objects.size(),
                 objects.size() == 1 ? " document, in " : " documents, in ", fetched_here().string(),
                 each_one || objects.empty() ? "" : " (--fetched lists them)", "\n"));
}

struct BlobSteps {
  std::array<char, 32> sha256{};
  const std::string* steps = nullptr;
};

/// By digest. Many layers are of the same steps, whose text is in `texts` once.
std::vector<BlobSteps> steps_of_blobs(const LayerStore& store, std::set<std::string>& texts) {
  std::vector<BlobSteps> found;
  store.visit([&](const fs::path&, const std::string& record) {
    const std::optional<LayerGlance> glance = glance_at(record);
    if (!glance) return;
    BlobSteps& blob = found.emplace_back();
    from_hex(glance->blob).copy(blob.sha256.data(), blob.sha256.size());
    const std::string last = glance->last_step.empty() ? "" : cat(" … ", glance->last_step);
    blob.steps = &*texts.insert(cat(glance->first_step, last)).first;
  });
  std::sort(found.begin(), found.end(), [](const BlobSteps& a, const BlobSteps& b) { return a.sha256 < b.sha256; });
  return found;
}

struct ListedLayer {
  std::string digest;
  std::int64_t last_used = 0;  ///< seconds since the epoch
  std::uint64_t bytes = 0;
  std::string steps;  ///< empty where no record names it
  bool pinned = false;
};

/// Those used longest ago first, one at a time: a store may hold a million.
void visit_layers(const LayerStore& store, const std::function<void(const ListedLayer&)>& visit) {
  std::set<std::string> texts;
  const std::vector<BlobSteps> known = steps_of_blobs(store, texts);
  const std::set<std::string> pinned = store.pinned_layers();
  for (const BlobInfo& blob : store.blobs().list()) {
    const auto found =
        std::lower_bound(known.begin(), known.end(), blob.sha256,
                         [](const BlobSteps& steps, const auto& digest) { return steps.sha256 < digest; });
    const bool has_record = found != known.end() && found->sha256 == blob.sha256;
    visit(
        {blob.digest(), blob.last_used, blob.bytes, has_record ? *found->steps : "", pinned.count(blob.digest()) > 0});
  }
}

/// One document, a row for a line.
void list_as_json(const LayerStore& store) {
  const char* before = "\n";
  const auto print_row = [&before](const Json& row) {
    cli::print(cat(before, format_json(row, {.lossy = true})));
    before = ",\n";
  };
  const auto begin = [&before](const char* words) {
    cli::print(words);
    before = "\n";
  };
  begin("{\"layers\": [");
  visit_layers(store, [&](const ListedLayer& layer) {
    print_row({{"sha256", layer.digest},
               {"bytes", layer.bytes},
               {"last_used", layer.last_used},
               {"steps", layer.steps},
               {"pinned", layer.pinned}});
  });
  begin("],\n\"pins\": [");
  for (const Pin& pin : store.pins()) print_row({{"image", pin.image.string()}, {"layers", pin.layers}});
  begin("],\n\"fetched\": [");
  for (const fetch::FetchedObject& object : fetch::list_fetched(fetched_here())) {
    print_row(
        {{"sha256", object.sha256}, {"bytes", object.bytes}, {"last_used", object.last_used}, {"url", object.url}});
  }
  begin("],\n");
  const Json where = {{"directory", store.directory().string()}, {"fetched_directory", fetched_here().string()}};
  cli::print(cat(format_json(where, {.lossy = true}).substr(1), "\n"));
}

void list_layers(const LayerStore& store) {
  const std::size_t room = cli::table_room();
  std::uint64_t total = 0;
  visit_layers(store, [&](const ListedLayer& layer) {
    cli::print(list_line(layer.digest, layer.last_used, layer.bytes,
                         cat(layer.steps.empty() ? "(no record)" : layer.steps, layer.pinned ? "  pinned" : ""), room));
    total += layer.bytes;
  });
  cli::print(cat(human_bytes(total), " in ", store.directory().string(), "\n"));
  for (const Pin& pin : store.pins())
    cli::print(cat("pinned: ", pin.image.string(), " (", pin.layers.size(),
                   pin.layers.size() == 1 ? " layer)\n" : " layers)\n"));
}

int list(const cli::Arguments& arguments) {
  const LayerStore store = known_store_of(arguments);
  if (arguments.has("json")) {
    list_as_json(store);
    return 0;
  }
  if (!arguments.has("fetched")) list_layers(store);
  list_fetches(arguments.has("fetched"));
  return 0;
}

/// What lies beside a lock and nobody can fetch again: damaged ones stay, so that whoever has the lock sees it.
std::pair<std::size_t, std::size_t> verify_answers(const cli::Arguments& arguments) {
  const fs::path file = fs::absolute(arguments.value_or("lock", "hearth.lock"));
  if (!arguments.has("lock") && !fs::exists(file)) return {};
  const fetch::Lock lock = fetch::parse_lock(read_file(file), file.string()).value_or_throw();
  std::size_t checked = 0;
  std::size_t damaged = 0;
  for (const auto& [answer, state] : fetch::git_answers(file, lock)) {
    ++checked;
    if (state == fetch::GitAnswer::State::sound) continue;
    ++damaged;
    cli::print(
        cat(state == fetch::GitAnswer::State::missing ? "missing: " : "damaged: ", answer.string(),
            " (a git server's answer that the lock names; copy it from where it was recorded, or record again)\n"));
  }
  return {checked, damaged};
}

int verify(const cli::Arguments& arguments) {
  std::optional<cli::Working> working(std::in_place, "checking what is kept");
  std::size_t checked = 0;
  const std::vector<std::string> damaged = known_store_of(arguments).verify([&](const std::string&) { ++checked; });
  const std::size_t fetched = fetch::list_fetched(fetched_here()).size();
  const std::vector<std::string> wrong = fetch::verify_fetched(fetched_here());
  working.reset();
  for (const std::string& digest : damaged) cli::print(cat("damaged, removed: ", digest, "\n"));
  for (const std::string& digest : wrong) cli::print(cat("damaged, removed: ", digest, " (fetched)\n"));
  const auto [answers, faults] = verify_answers(arguments);
  const std::size_t all = damaged.size() + wrong.size() + faults;
  cli::print(cat(checked + fetched + answers, " checked, ", all, " damaged\n"));
  return all == 0 ? 0 : 1;
}

/// Directories below may belong to another user, too.
void require_removable(const fs::path& cache) {
  for (const fs::path& directory : {cache, cache / "blobs", cache / "records", cache / "objects"}) {
    if (!fs::exists(directory) || ::access(directory.c_str(), W_OK | X_OK) == 0) continue;
    throw Error(Error::from_errno("removing from", directory.string())
                    .hint("Builds of another user made it: prune as that user, or name another cache."));
  }
}

/// "19 removed (1.6 GiB)"
std::string removed_text(const std::vector<std::string>& removed, const std::map<std::string, std::uint64_t>& sizes) {
  std::uint64_t bytes = 0;
  for (const std::string& digest : removed) {
    const auto size = sizes.find(digest);  // what came meanwhile went, too
    if (size != sizes.end()) bytes += size->second;
  }
  return cat(removed.size(), " removed", removed.empty() ? "" : cat(" (", human_bytes(bytes), ")"));
}

int prune(const cli::Arguments& arguments) {
  constexpr std::int64_t day = 86400;
  const std::optional<std::uint64_t> gib = parse_number(arguments.value_or("keep", "0"));
  if (!gib || *gib > k_most_gib)
    throw Error(ErrorKind::usage, cat("--keep wants a whole number of GiB, up to ", k_most_gib));
  const std::optional<std::uint64_t> days = parse_number(arguments.value_or("unused-for", "0"));
  if (!days || *days > k_most_days)
    throw Error(ErrorKind::usage, cat("--unused-for wants a whole number of days, up to ", k_most_days));
  if (arguments.has("unused-for") && arguments.has("fetched"))
    throw Error(ErrorKind::usage, "--unused-for is for layers, not for what was fetched");
  const bool is_by_age = arguments.has("unused-for");
  const std::uint64_t limit = is_by_age && !arguments.has("keep") ? UINT64_MAX : *gib << 30U;
  const std::int64_t used_before = is_by_age ? std::time(nullptr) - static_cast<std::int64_t>(*days) * day : 0;
  const fs::path cache = arguments.has("fetched") ? fetched_here() : known_store_of(arguments).directory();
  require_removable(cache);
  if (arguments.has("fetched")) {
    std::map<std::string, std::uint64_t> sizes;
    for (const fetch::FetchedObject& object : fetch::list_fetched(cache)) sizes[object.sha256] = object.bytes;
    cli::print(cat(removed_text(fetch::prune_fetched(cache, limit), sizes), "\n"));
    return 0;
  }
  const LayerStore store = known_store_of(arguments);
  std::map<std::string, std::uint64_t> sizes;
  for (const BlobInfo& blob : store.blobs().list()) sizes[blob.digest()] = blob.bytes;
  const std::vector<std::string> removed = store.prune(limit, used_before);
  const std::size_t pinned = store.pinned_layers().size();
  cli::print(
      cat(removed_text(removed, sizes), pinned == 0 ? "" : cat("; ", pinned, " pinned ones stay"), "\n",
          removed.empty() || !store.blobs().list().empty()
              ? ""
              : "No layer is left: the next build of each image starts from the bootstrap. --keep GIB spares those "
                "used last.\n"));
  return 0;
}

fs::path image_stem(const std::string& name) { return fs::absolute(name).lexically_normal(); }

/// Digests of the layers of the image's last build, which are all in the store.
std::vector<std::string> layers_of_image(const std::string& name, const LayerStore& store) {
  const fs::path file = records_directory(name) / k_steps_file;
  const std::optional<std::string> text = RealFileSystem().read(file);
  if (!text)
    throw Error(ErrorKind::not_found, cat("there is no ", file.string(), ", which tells of the image's layers"))
        .hint(cat("hearth image create writes it, unless --no-cache is given. NAME is looked for in ",
                  image_stem(name).parent_path().string(), "; DIRECTORY/NAME names an image of another one."));
  std::vector<std::string> layers = layers_of_report(*text, file.string());
  for (const std::string& layer : layers) {
    if (store.blobs().has(layer)) continue;
    throw Error(ErrorKind::not_found,
                cat("the layer ", layer.substr(0, 12), " of ", name, " is not in ", store.directory().string()))
        .hint(
            "It was pruned, or is in another cache (--image-cache DIR). Without its output files the image is "
            "built again, and its layers are kept.");
  }
  return layers;
}

/// Those of its last build; its next ones put theirs in the place of these.
int pin(const cli::Arguments& arguments) {
  if (arguments.operands().empty()) throw Error(ErrorKind::usage, "name an image");
  const LayerStore store = known_store_of(arguments);
  for (const std::string& name : arguments.operands()) {
    const Pin pin{image_stem(name), layers_of_image(name, store)};
    store.pin(pin);
    cli::print(cat(name, ": ", pin.layers.size(), pin.layers.size() == 1 ? " layer is" : " layers are", " pinned\n"));
  }
  return 0;
}

int unpin(const cli::Arguments& arguments) {
  if (arguments.operands().empty()) throw Error(ErrorKind::usage, "name an image");
  const LayerStore store = known_store_of(arguments);
  for (const std::string& name : arguments.operands()) {
    if (store.unpin(image_stem(name))) continue;
    std::vector<std::string> images;
    for (const Pin& pin : store.pins()) images.push_back(pin.image.string());
    const auto near = nearest(image_stem(name).string(), images);
    throw Error(ErrorKind::not_found, cat(image_stem(name).string(), " is not pinned"))
        .hint(near ? cat("Did you mean ", *near, "?") : "hearth cache list shows what is.");
  }
  return 0;
}

std::vector<cli::Option> nginx_options() {
  return cli::under(
      "A server's configuration",
      {{"nginx", 0, "",
        "write, in place of layers, nginx's configuration for a cache that machines share (to FILE, or stdout)"},
       {"directory", 0, "DIR", cat("where nginx keeps layers and passwords (default: ", k_nginx_directory, ")")},
       {"listen", 0, "ADDRESS:PORT", "as nginx has it (default: 8443 with a certificate, else 127.0.0.1:8080)"},
       {"certificate", 0, "FILE", "for TLS: PEM, with those that it is signed by"},
       {"certificate-key", 0, "FILE", "its private key"},
       {"user", 0, "NAME", "as whom nginx's workers run (default: www-data)"}});
}

fs::path only_file(const cli::Arguments& arguments) {
  if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name one file");
  return fs::absolute(arguments.operands().front());
}

int carry(const cli::Arguments& arguments, bool out) {
  const SystemClock clock;
  StoppableRunner runner(clock);  // what was begun beside the layers is as large as they are
  const LayerStore store = store_of(arguments);
  if (!out && !fs::is_regular_file(only_file(arguments)))
    throw Error(ErrorKind::not_found, cat("there is no file ", only_file(arguments).string()))
        .hint("hearth cache export FILE writes one.");
  std::set<std::string> only;
  for (const std::string& image : arguments.values("image")) {
    for (std::string& layer : layers_of_image(image, store)) only.insert(std::move(layer));
  }
  std::optional<cli::Working> working(std::in_place,
                                      cat(out ? "writing " : "reading ", only_file(arguments).filename().string()));
  const std::size_t layers =
      out ? export_store(store, only_file(arguments), only, runner) : import_store(store, only_file(arguments), runner);
  working.reset();
  cli::print(cat(layers, layers == 1 ? " layer\n" : " layers\n"));
  return 0;
}

/// The configuration of a server is written to stdout, or to the file that is named.
int export_for_nginx(const cli::Arguments& arguments) {
  const std::string certificate = arguments.value_or("certificate", "");
  const std::string key = arguments.value_or("certificate-key", "");
  if (certificate.empty() != key.empty())
    throw Error(ErrorKind::usage, "--certificate FILE and --certificate-key FILE go together");
  std::vector<std::string> words = {"hearth", "cache", "export", "--nginx"};
  for (const cli::Option& option : nginx_options()) {
    if (!option.value_name.empty() && arguments.has(option.name))
      words.insert(words.end(), {option.display(), arguments.value_or(option.name, "")});
  }
  const std::string text =
      nginx_config({.directory = fs::absolute(arguments.value_or("directory", k_nginx_directory)),
                    .listen = arguments.value_or("listen", certificate.empty() ? "127.0.0.1:8080" : "8443"),
                    .certificate = certificate.empty() ? fs::path() : fs::absolute(certificate),
                    .key = key.empty() ? fs::path() : fs::absolute(key),
                    .user = arguments.value_or("user", "www-data"),
                    .written_by = shell_join(words)});
  for (const std::string& file : {certificate, key}) {
    if (!file.empty() && !fs::exists(file))
      cli::tell(cat("note: there is no file ", fs::absolute(file).string(), " here; nginx's machine needs it\n"));
  }
  if (arguments.operands().empty()) {
    cli::print_exact(text);
  } else {
    RealFileSystem().write(only_file(arguments), text, {});
    cli::print(cat("Wrote ", only_file(arguments).string(), ": it says what nginx's machine needs first\n"));
  }
  return 0;
}

int export_layers(const cli::Arguments& arguments) {
  if (arguments.has("nginx") && arguments.has("image"))
    throw Error(ErrorKind::usage, "--image goes with a FILE, not with --nginx");
  if (arguments.has("nginx")) return export_for_nginx(arguments);
  for (const cli::Option& option : nginx_options()) {
    if (arguments.has(option.name)) throw Error(ErrorKind::usage, cat(option.display(), " goes with --nginx"));
  }
  return carry(arguments, true);
}

int why(const cli::Arguments& arguments) {
  if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name one image");
  const ImageStory story = image_story(arguments.operands().front(), cli::table_room());
  cli::print(arguments.has("json") ? cat(format_json(story.report, {.indent = 1}), "\n")
                                   : cat(unfinished_text(member_or_null(story.report, "unfinished")), story.table));
  return 0;
}

/// Images that were built in this directory, for completion.
std::vector<std::string> built_here() {
  std::vector<std::string> names;
  const RealFileSystem files;
  for (const std::string& entry : files.list(".")) {
    if (entry.ends_with(".d") && files.status(fs::path(entry) / k_steps_file))
      names.push_back(entry.substr(0, entry.size() - 2));
  }
  return names;
}

int timing(const cli::Arguments& arguments) {
  if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name one image");
  const fs::path file = records_directory(arguments.operands().front()) / k_timing_file;
  const std::optional<std::string> text = RealFileSystem().read(file);
  if (!text)
    throw Error(ErrorKind::not_found, cat("there is no ", file.string())).hint("Builds write it at their end.");
  const Json json = parse_json(*text, file.string()).value_or_throw();
  const std::vector<TimingRow> rows = timing_rows(json, file.string());
  if (arguments.has("json")) {
    if (arguments.has("svg")) throw Error(ErrorKind::usage, "--json and --svg: both want stdout");
    cli::print(json_document(json));
    return 0;
  }
  cli::print(arguments.has("svg") ? timing_picture(rows, arguments.operands().front())
                                  : timing_table(rows, progress_style(current_environment(), false)));
  return 0;
}

cli::Command row(std::string words, std::string operands, std::string summary, std::vector<cli::Option> options,
                 std::function<int(const cli::Arguments&)> run) {
  return {.words = std::move(words),
          .operands = std::move(operands),
          .summary = std::move(summary),
          .details = "",
          .options = std::move(options),
          .run = std::move(run)};
}

}  // namespace

ImageStory image_story(const std::string& image, std::size_t room) {
  const fs::path directory = records_directory(image);
  const fs::path file = directory / k_steps_file;
  const std::optional<std::string> text = RealFileSystem().read(file);
  const Json unfinished = unfinished_build(directory);
  if (!text && unfinished.is_null()) {
    throw Error(ErrorKind::not_found, cat("there is no ", file.string()))
        .hint("Builds write it beside their log, unless --no-cache was given.");
  }
  ImageStory story{Json::object(), "", directory};
  if (text) {
    story.table = why_text(*text, file.string(), room);
    story.report = parse_json(*text, file.string()).value_or_throw();
  }
  if (!unfinished.is_null()) story.report["unfinished"] = unfinished;
  return story;
}

std::vector<cli::Command> cache_commands() {
  const auto of_images = [](cli::Command command) {
    command.names = built_here;
    return command;
  };
  const cli::Option where = {"image-cache", 0, "DIR", k_where};
  const cli::Option keep = {"keep", 0, "GIB", "how much may stay (default: nothing but what builds hold)"};
  const cli::Option fetched = {
      "fetched", 0, "", "in place of layers, remove what recorded builds fetched: locks then need the network again"};
  std::vector<cli::Option> export_options = nginx_options();
  export_options.insert(export_options.begin(),
                        {where, {"image", 0, "NAME", "only the layers of this image's last build (may be repeated)"}});
  return {
      row("cache list", "", "list layers, or what was fetched, each used longest ago first",
          {where,
           {"fetched", 0, "", "in place of layers, what recorded builds fetched"},
           {"json", 0, "", "print one JSON document: layers, pins, fetched"}},
          list),
      row("cache verify", "",
          "check every layer and all that was fetched against its digest; damaged ones are removed (exit code 1)",
          {where,
           {"lock", 0, "FILE", "also what git servers answered, which lies in FILE.d (default: hearth.lock, if any)"}},
          verify),
      row("cache prune", "",
          "remove layers: all that no build holds, or with --keep and --unused-for those used longest ago",
          {where,
           keep,
           {"unused-for", 0, "DAYS", "those that nobody used for so long; with --keep, more where that asks for it"},
           fetched},
          prune),
      of_images(row("cache pin", "NAME…",
                    "keep the layers of an image, now and after its next builds, whatever is pruned", {where}, pin)),
      row("cache unpin", "NAME…", "let the layers of an image be pruned again", {where}, unpin),
      row("cache export", "FILE", "write all layers to one file, or how nginx shares them", export_options,
          export_layers),
      row("cache import", "FILE", "take layers from such a file, each checked", {where},
          [](const cli::Arguments& arguments) { return carry(arguments, false); }),
      of_images(row("image why", "NAME", "explain the last build of an image: what ran, and which input had changed",
                    {{"json", 0, "", "print the whole report"}}, why)),
      of_images(row("image timing", "NAME", "show where the time of an image's last build went",
                    {{"svg", 0, "", "as a picture with an axis of time (also beside the image: NAME.d/timing.svg)"},
                     {"json", 0, "", "as it lies beside the image: NAME.d/timing.json"}},
                    timing))};
}

}  // namespace hearth::builder
