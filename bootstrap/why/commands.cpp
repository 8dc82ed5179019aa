#include "bootstrap/why/commands.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "base/net/web_client.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/client/conductor_client.hpp"
#include "bootstrap/why/node_causes.hpp"
#include "bootstrap/why/stack_causes.hpp"
#include "metadata/live/lifecycle_commands.hpp"
#include "metadata/live/stack_client.hpp"

namespace hearth::bootstrap {

namespace {

using why::Finding;

constexpr std::array<std::string_view, 3> k_kinds = {"image", "node", "stack"};
/// More silent machines of a stack than these are silent for one reason.
constexpr std::size_t k_most_nodes = 3;
constexpr const char* k_stack_state = "/var/lib/hearth/metadata";

Stamp wall_now(const Clock& clock) { return unix_microseconds(clock.wall()); }

/// The answer, or nullopt where there is no such thing.
template <class Call>
std::optional<Json> unless_missing(Call call) {
  try {
    return call();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found) throw;
    return std::nullopt;
  }
}

/// What an answer has to hold; another server's may be anything.
Json part_of(const Json& answer, std::string_view key) {
  const auto found = answer.is_object() ? answer.find(std::string(key)) : answer.end();
  if (!answer.is_object() || found == answer.end() || !found->is_structured())
    throw Error(ErrorKind::input, cat("the answer holds no ", key)).hint("is there such a service at that address?");
  return *found;
}

std::vector<Finding> ask_node(ConductorClient& conductor, const std::string& name, const Clock& clock) {
  const std::string id = percent_encode(name);
  why::NodeFacts facts;
  facts.node = conductor.call("GET", cat("/v1/nodes/", id));
  if (text_in(facts.node, "provision_state").empty())
    throw Error(ErrorKind::input, "the answer is no node").hint("is there a conductor at that address (--url)?");
  // Both are Hearth's own: another conductor of Ironic's API has neither.
  const std::optional<Json> events =
      unless_missing([&] { return conductor.call("GET", cat("/v1/hearth/events?newest=true&node=", id)); });
  if (events) facts.events = part_of(*events, "events");
  for (const Json& port : part_of(conductor.call("GET", cat("/v1/nodes/", id, "/ports")), "ports"))
    facts.macs.push_back(text_in(port, "address"));
  const std::optional<Json> boots =
      unless_missing([&] { return conductor.call("GET", cat("/v1/hearth/boot-log/", id)); });
  if (boots) facts.boot_log = part_of(*boots, "events");
  facts.now = wall_now(clock);
  return why::node_causes(facts);
}

/// Where to ask for what, from the command line. Nothing is made for asking: a conductor that never was has no nodes.
class Sources {
 public:
  explicit Sources(const cli::Arguments& arguments)
      : arguments_(arguments), http_(clock_, current_environment(), "hearth") {}

  /// Null where there is no conductor and no state of one.
  ConductorClient* conductor() {
    const bool told = arguments_.has("url") || current_environment().contains("HEARTH_NODE_URL");
    if (!conductor_ && (told || fs::exists(fs::path(state_directory(arguments_)) / "state.db")))
      conductor_ = ConductorClient::open(arguments_);
    return conductor_.get();
  }

  std::optional<std::vector<Finding>> node(const std::string& name) {
    ConductorClient* asked = conductor();
    if (asked == nullptr) {
      tried_.push_back(cat("no conductor has its state in ", state_directory(arguments_), " (--url, --state)"));
      return std::nullopt;
    }
    try {
      return ask_node(*asked, name, clock_);
    } catch (const Error& error) {
      tried_.push_back(cat("the conductor: ", error.story()));
      return std::nullopt;
    }
  }

  std::optional<std::vector<Finding>> stack(const std::string& name) {
    const std::string url = arguments_.value_or("stack-url", "http://127.0.0.1:8004/v1/admin");
    try {
      metadata::live::StackClient client(http_, clock_, url, stack_token());
      const std::string place = client.locate(name);
      const Json shown = part_of(client.call("GET", cat(place, "?resolve_outputs=False")), "stack");
      const Json resources = part_of(client.call("GET", cat(place, "/resources?nested_depth=9")), "resources");
      std::vector<std::string> hooks;  // events alone tell of them
      if (text_in(shown, "stack_status").ends_with("_IN_PROGRESS")) {
        const Json events = client.call("GET", cat(place, "/events?nested_depth=9&sort_dir=asc"));
        hooks = metadata::live::waiting_hooks(text_in(shown, "stack_name"), part_of(events, "events"));
      }
      std::vector<Finding> found = why::stack_causes(shown, resources, hooks);
      const std::vector<std::string> silent = why::silent_servers(resources);
      for (std::size_t i = 0; i < std::min(silent.size(), k_most_nodes); ++i) put_machine(silent[i], found);
      return found;
    } catch (const Error& error) {
      tried_.push_back(cat("the stack service: ", error.story()));
      return std::nullopt;
    }
  }

  /// Why nothing was found, a line each.
  [[nodiscard]] const std::vector<std::string>& tried() const { return tried_; }

 private:
  [[nodiscard]] std::string stack_token() const {
    const std::string file = arguments_.value_or("stack-token-file", cat(k_stack_state, "/api-token"));
    return std::string(trim(RealFileSystem().read(file).value_or("")));
  }

  /// A machine that never asked: what its conductor knows of it comes first, if it is not well.
  void put_machine(const std::string& server, std::vector<Finding>& found) {
    const std::optional<std::vector<Finding>> of_node = conductor() == nullptr ? std::nullopt : node(server);
    if (!of_node || of_node->front().cause.rfind("Nothing is wrong", 0) == 0) return;
    Finding first = of_node->front();
    first.cause = cat("The machine of ", server, ": ", first.cause);
    found.insert(found.begin(), std::move(first));
  }

  const cli::Arguments& arguments_;
  SystemClock clock_;
  WebClient http_;
  std::unique_ptr<ConductorClient> conductor_;
  std::vector<std::string> tried_;
};

/// NAME.d of a build is there, under the image's name or that of one of its files.
bool is_image(const std::string& name) {
  fs::path stem = name;
  return fs::exists(name + ".d/steps.json") || fs::exists(stem.replace_extension().string() + ".d/steps.json");
}

struct Asked {
  std::string kind;  ///< empty = whatever there is of the name
  std::string name;
};

Asked asked_for(const std::vector<std::string>& words) {
  if (words.empty()) throw Error(ErrorKind::usage, "why what? Name an image, a node or a stack");
  if (words.back().empty()) throw Error(ErrorKind::usage, "the name is empty: name an image, a node or a stack");
  if (words.size() == 1) return {"", words[0]};
  if (words.size() > 2) throw Error(ErrorKind::usage, "name one thing");
  if (std::find(k_kinds.begin(), k_kinds.end(), words[0]) == k_kinds.end()) {
    throw Error(ErrorKind::usage, cat("'", words[0], "' is no kind of thing: image, node or stack"))
        .hint(cat("did you mean: hearth why ", nearest(words[0], {k_kinds.begin(), k_kinds.end()}).value_or("node"),
                  " ", words[1]));
  }
  return {words[0], words[1]};
}

int run_why(const cli::Arguments& arguments, const ImageWhy& image_why) {
  const Asked asked = asked_for(arguments.operands());
  const auto wants = [&](std::string_view kind) { return asked.kind.empty() || asked.kind == kind; };
  const bool as_json = arguments.has("json");
  const bool image = asked.kind == "image" || (asked.kind.empty() && is_image(asked.name));
  const auto tell_image = [&] {
    cli::Arguments of_image;
    of_image.add_operand(asked.name);
    if (as_json) of_image.add("json", "");
    return image_why(of_image);
  };
  if (asked.kind == "image") return tell_image();
  Sources sources(arguments);
  Json shown = Json::array();
  std::string text;
  const auto put = [&](std::string_view kind, const std::optional<std::vector<Finding>>& found) {
    if (!found) return;
    shown.push_back({{"kind", kind}, {"name", asked.name}, {"findings", why::findings_json(*found)}});
    text += cat(text.empty() ? "" : "\n", kind, " ", asked.name, ": ", why::findings_text(*found));
  };
  if (wants("node")) put("node", sources.node(asked.name));
  if (wants("stack")) put("stack", sources.stack(asked.name));
  if (image) {
    if (as_json && !shown.empty()) {
      throw Error(ErrorKind::usage, cat("an image and another thing have the name ", asked.name))
          .hint("say which is meant: hearth why image NAME, hearth why node NAME, hearth why stack NAME");
    }
    if (shown.empty()) return tell_image();
    try {
      tell_image();
    } catch (const Error& error) {  // what else has the name is told all the same
      cli::print(cat("image ", asked.name, ": ", error.story(), "\n"));
    }
    text = cat("\n", text);
  } else if (shown.empty()) {
    const std::string no_image = asked.kind.empty() ? cat("no image was built as ", asked.name, " here; ") : "";
    throw Error(ErrorKind::not_found,
                cat("nothing is known of ", asked.name, ": ", no_image, join(sources.tried(), "; ")));
  }
  cli::print(as_json ? json_document(shown) : text);
  return 0;
}

}  // namespace

std::vector<cli::Command> why_commands(ImageWhy image_why) {
  std::vector<cli::Option> options = with_client({{"json", 0, "", "print JSON"}});
  options.push_back({"stack-url", 0, "URL", "the stack service (http://127.0.0.1:8004/v1/admin)"});
  options.push_back({"stack-token-file", 0, "FILE", cat("its token (", k_stack_state, "/api-token)")});
  return {{"why", "[image|node|stack] NAME", "say why a node, a stack or a build is as it is, the true cause first",
           "Reads what the conductor, its boot servers and the stack service know, or the report of an image's last "
           "build; asks no machine. One sentence, what was seen, and what to do next; further causes behind it. Of a "
           "name that is several things each is told (with --json name the kind where an image is among them). Exit "
           "code 0: there is an answer; 1: nothing of that name is known.\n\n"
           "Example: hearth why web1",
           options, [image_why](const cli::Arguments& arguments) { return run_why(arguments, image_why); }}};
}

}  // namespace hearth::bootstrap
