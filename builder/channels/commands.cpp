#include "builder/channels/commands.hpp"

#include <boost/filesystem/directory.hpp>
#include <boost/filesystem/operations.hpp>

#include <ctime>

#include "base/cli/layout.hpp"
#include "base/cli/print.hpp"
#include "base/cli/working.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/sys/stop_signals.hpp"
#include "base/sys/user_places.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "builder/channels/channels.hpp"
#include "builder/evidence/evidence.hpp"
#include "builder/evidence/statements.hpp"

namespace hearth::builder::channels {

namespace {

constexpr const char* k_place_variable = "HEARTH_CHANNELS";
constexpr const char* k_key_variable = "HEARTH_CHANNEL_KEY";
constexpr std::int64_t k_day_s = 24L * 60 * 60;
constexpr std::uint64_t k_most_days = 36500;

/// The option's value, else the variable's.
std::string place_of(const cli::Arguments& arguments, const char* option) {
  std::string where = arguments.value_or(option, variable(current_environment(), k_place_variable));
  if (where.empty()) {
    throw Error(ErrorKind::usage, "which place has the channels?")
        .hint(cat("--", option, " PLACE (a directory, https://…, oci://…), or the variable ", k_place_variable, "."));
  }
  return where;
}

std::vector<std::string> keys_of(const cli::Arguments& arguments) {
  std::vector<std::string> files = arguments.values("key");
  if (const std::string file = variable(current_environment(), k_key_variable); files.empty() && !file.empty())
    files.push_back(file);
  std::vector<std::string> keys;
  for (const std::string& file : files) keys.push_back(evidence::public_key_hex(file));
  return keys;
}

std::vector<std::string> needed_keys(const cli::Arguments& arguments) {
  std::vector<std::string> keys = keys_of(arguments);
  if (keys.empty()) {
    throw Error(ErrorKind::usage, "whose channel is it?")
        .hint(cat("Give the public key that must have signed it: --key FILE, or the variable ", k_key_variable, "."));
  }
  return keys;
}

/// A place with what belongs to it, for one command.
struct Session {
  explicit Session(const std::string& where)
      : place(open_place(where, current_environment(), clock)),
        world{*place, Seen(kept_state_directory(current_environment()) / "hearth" / "channels.json"),
              static_cast<std::int64_t>(std::time(nullptr)),
              [](const std::string& line) { cli::tell(cat(line, "\n")); }} {}
  SystemClock clock;
  StopSignals signals;
  std::unique_ptr<Place> place;
  World world;
};

Older older_of(const cli::Arguments& arguments) { return arguments.has("older") ? Older::is_taken : Older::is_refused; }

PublishWish wish_of(const cli::Arguments& arguments, Reference reference, std::int64_t now_s) {
  const auto key = arguments.value("sign");
  if (!key) throw Error(ErrorKind::usage, "a channel is signed: give the private key by --sign KEY");
  PublishWish wish{.reference = std::move(reference),
                   .key_pem = read_file(*key),
                   .other_keys = keys_of(arguments),
                   .expires_s = {},
                   .older = older_of(arguments),
                   .again = arguments.has("again")};
  if (const auto days = arguments.value("expires")) {
    const auto number = parse_number(*days);
    if (!number || *number == 0 || *number > k_most_days)
      throw Error(ErrorKind::usage, cat("--expires: '", *days, "' is no number of days"));
    wish.expires_s = now_s + static_cast<std::int64_t>(*number) * k_day_s;
  }
  return wish;
}

std::string told(const Pointer& pointer) {
  return cat(pointer.reference.text(), ": ", pointer.version.empty() ? "" : cat(pointer.version, ", "),
             "sha256:", pointer.image().sha256, "\n");
}

int publish_in_channel(const cli::Arguments& arguments) {
  const auto channel = arguments.value("channel");
  if (!channel) throw Error(ErrorKind::usage, "--to goes with --channel CHANNEL");
  if (arguments.operands().size() != 1)
    throw Error(ErrorKind::usage, "with --channel name one image, and no file to write: it goes to the place of --to");
  Session session(place_of(arguments, "to"));
  const LocalImage image = local_image(
      arguments.operands().front(), arguments.has("without-evidence") ? Evidence::may_be_missing : Evidence::is_needed);
  const Reference reference = reference_of(cat(arguments.value_or("name", image.name), "@", *channel));
  std::optional<cli::Working> working(std::in_place, cat("publishing ", reference.text()));
  const Pointer pointer = publish(session.world, wish_of(arguments, reference, session.world.now_s), image);
  working.reset();
  cli::print(told(pointer));
  return 0;
}

int promote_to(const cli::Arguments& arguments) {
  const Reference from = reference_of(arguments.operand(0, "NAME@CHANNEL"));
  if (arguments.operands().size() != 2)
    throw Error(ErrorKind::usage, "name NAME@CHANNEL and the channel that gets its image");
  const Reference to = reference_of(cat(from.name, "@", arguments.operands()[1]));
  Session session(place_of(arguments, "from"));
  cli::print(told(promote(session.world, wish_of(arguments, to, session.world.now_s), from)));
  return 0;
}

Json json_of(const Opened& opened, const std::string& state) {
  const Pointer& pointer = opened.pointer;
  Json files = Json::array();
  for (const NamedFile& file : pointer.files)
    files.push_back({{"path", file.path}, {"sha256", file.sha256}, {"size", file.size}});
  return {{"name", pointer.reference.name},
          {"channel", pointer.reference.channel},
          {"version", pointer.version},
          {"sha256", pointer.image().sha256},
          {"serial", pointer.serial},
          {"published", evidence::iso_time(pointer.published_s)},
          {"built", pointer.built_s == 0 ? "" : evidence::iso_time(pointer.built_s)},
          {"expires", pointer.expires_s ? evidence::iso_time(*pointer.expires_s) : ""},
          {"key", opened.key_id},
          {"state", state},
          {"files", std::move(files)}};
}

std::string line_of(const Opened& opened, const std::string& state) {
  const Pointer& pointer = opened.pointer;
  return cat(cli::padded(pointer.reference.text(), 27), " ",
             cli::padded(pointer.version.empty() ? "-" : pointer.version, 11), " ",
             pointer.image().sha256.substr(0, 12), "  ", evidence::iso_time(pointer.published_s), "  ", state, "\n");
}

/// What holds against a channel, in a word or two; "signed" where nothing does.
std::string state_of(const World& world, const Opened& opened, bool is_checked) {
  const Pointer& pointer = opened.pointer;
  if (pointer.expires_s && world.now_s >= *pointer.expires_s) return "expired";
  if (world.seen.serial(opened.key_id, pointer.reference) > pointer.serial) return "older than what was seen";
  return is_checked ? "signed" : "not checked: --key";
}

int list_channels(const cli::Arguments& arguments) {
  const std::vector<std::string> keys = keys_of(arguments);
  Session session(place_of(arguments, "from"));
  int code = 0;
  Json all = Json::array();
  std::string text;
  for (const Reference& reference : session.place->list()) {
    const std::vector<std::string>& names = arguments.operands();
    if (!names.empty() && std::find(names.begin(), names.end(), reference.name) == names.end() &&
        std::find(names.begin(), names.end(), reference.text()) == names.end()) {
      continue;
    }
    try {
      const std::optional<std::string> envelope = session.place->pointer(reference);
      if (!envelope) continue;
      const Opened opened = open_pointer(*envelope, reference, keys, session.place->text());
      const std::string state = state_of(session.world, opened, !keys.empty());
      all.push_back(json_of(opened, state));
      text += line_of(opened, state);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
      cli::tell(cat(error.what(), "\n"));
      code = 1;
    }
  }
  cli::print(arguments.has("json") ? json_document(all) : text);
  return code;
}

int fetch_image(const cli::Arguments& arguments) {
  const Reference reference = reference_of(arguments.operand(0, "NAME@CHANNEL"));
  const std::vector<std::string> keys = needed_keys(arguments);
  Session session(place_of(arguments, "from"));
  const Opened opened = current(session.world, reference, keys, older_of(arguments));
  std::optional<cli::Working> working(std::in_place, cat("fetching ", reference.text()));
  const fs::path image = fetch_into(session.world, opened.pointer, arguments.value_or("o", "."));
  working.reset();
  cli::print(cat(image.string(), "\n"));
  return 0;
}

/// What another image of the channel left here is of no use a day later.
void drop_others(const fs::path& kept) {
  for (const fs::directory_entry& entry : fs::directory_iterator(kept.parent_path())) {
    boost::system::error_code ignored;  // another process may be faster
    if (entry.path() == kept || fs::last_write_time(entry.path(), ignored) > std::time(nullptr) - k_day_s) continue;
    fs::remove_all(entry.path(), ignored);
  }
}

const cli::Option k_from = {"from", 0, "PLACE", "a directory, https://…, oci://… (default: HEARTH_CHANNELS)"};
const cli::Option k_key = {"key", 0, "FILE", "the public key that must have signed (default: HEARTH_CHANNEL_KEY)"};
const cli::Option k_json = {"json", 0, "", "print the result as JSON"};

std::vector<cli::Option> signing_options() {
  return {{"key", 0, "FILE", "another public key that may have signed what stands there; repeatable"},
          {"expires", 0, "DAYS", "from when on nobody takes it any more (default: never)"},
          {"older", 0, "", "although what stands there is newer, or can't be read"}};
}

}  // namespace

std::vector<cli::Option> source_options() {
  return cli::under("With NAME@CHANNEL",
                    {k_from, k_key, {"older", 0, "", "although a newer one of this channel was seen here before"}});
}

fs::path image_named(const std::string& word, const cli::Arguments& arguments) {
  const std::optional<Reference> reference = fs::exists(word) ? std::nullopt : parse_reference(word);
  if (!reference) return word;
  const std::vector<std::string> keys = needed_keys(arguments);
  Session session(place_of(arguments, "from"));
  const Opened opened = current(session.world, *reference, keys, older_of(arguments));
  const fs::path kept = cache_directory(current_environment()) / "hearth" / "channels" / reference->text() /
                        opened.pointer.image().sha256.substr(0, 16);
  std::optional<cli::Working> working(std::in_place, cat("fetching ", reference->text()));
  fs::path image = fetch_into(session.world, opened.pointer, kept);
  working.reset();
  fs::last_write_time(kept, std::time(nullptr));
  drop_others(kept);
  cli::tell(told(opened.pointer));
  return image;
}

cli::Command with_channels(cli::Command publish) {
  std::vector<cli::Option> options = {
      {"to", 0, "PLACE", "a directory, https://… (WebDAV), oci://… (default: HEARTH_CHANNELS)"},
      {"channel", 0, "CHANNEL", "the image is NAME@CHANNEL from now on"},
      {"name", 0, "NAME", "what it is called there (default: its own name)"},
      {"without-evidence", 0, "", "nothing lies beside it that says how it was made"},
      {"again", 0, "", "send each file, also where the place says that it has it"}};
  for (cli::Option& option : signing_options()) options.push_back(std::move(option));
  for (cli::Option& option : cli::under("In a channel", std::move(options)))
    publish.options.push_back(std::move(option));
  publish.operands = "IMAGE [FILE]";
  publish.summary = "put an image into a channel, or make it ready to be written to machines";
  publish.details +=
      "\n\nWith --channel the image goes, with its evidence and by digest, to where others take it from: `hearth image "
      "channel`.\nExample: hearth image publish --sign site.key --to /srv/images --channel candidate web.qcow2";
  publish.run = [to_file = publish.run](const cli::Arguments& arguments) {
    const bool in_channel = arguments.has("channel") || arguments.has("to");
    return in_channel ? publish_in_channel(arguments) : to_file(arguments);
  };
  return publish;
}

std::vector<cli::Command> commands() {
  const cli::Option sign = {"sign", 0, "KEY", "sign with this Ed25519 private key (PEM)"};
  std::vector<cli::Option> promote_options = {k_from, sign};
  for (cli::Option& option : signing_options()) promote_options.push_back(std::move(option));
  std::vector<cli::Option> fetch_options = source_options();
  fetch_options.push_back({"", 'o', "DIR", "where to (default: here)"});
  return {
      {.words = "image channel list",
       .operands = "[NAME…]",
       .summary = "which images are published, and whether they hold",
       .details = "A line for each NAME@CHANNEL: version, digest, when it was published. What is damaged, or signed by "
                  "another key than --key, is told; the exit code is 1 then.",
       .options = {k_from, k_key, k_json},
       .run = list_channels},
      {.words = "image channel promote",
       .operands = "NAME@CHANNEL CHANNEL",
       .summary = "give the image of one channel to another; nothing is uploaded",
       .details = "To the same channel it renews it, with --expires for so many days from now.\nExample: hearth image "
                  "channel promote --sign site.key web@candidate stable",
       .options = std::move(promote_options),
       .run = promote_to},
      {.words = "image channel fetch",
       .operands = "NAME@CHANNEL",
       .summary = "take an image, with what lies beside it, once all of it was checked",
       .details =
           "Refused: what is not signed by --key, is of another name or channel, has expired, is older than what "
           "was seen here before, or has other bytes than the signed digests say. What lay there stays then.",
       .options = std::move(fetch_options),
       .run = fetch_image}};
}

std::vector<std::string> known_names(const std::string& what, const std::vector<std::string>& words) {
  if (what != "NAME@CHANNEL" && what != "CHANNEL") return {};
  std::string where = variable(current_environment(), k_place_variable);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == k_from.display()) where = words[i + 1];
  }
  if (where.empty() || !fs::is_directory(where)) return {};
  const SystemClock clock;
  std::set<std::string> names;
  for (const Reference& reference : open_place(where, current_environment(), clock)->list())
    names.insert(what == "CHANNEL" ? reference.channel : reference.text());
  return {names.begin(), names.end()};
}

}  // namespace hearth::builder::channels
