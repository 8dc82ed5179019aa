#include "bootstrap/why/commands.hpp"

#include <algorithm>
#include <array>

#include "base/cli/table.hpp"
#include "base/sys/file.hpp"
#include "base/sys/file_digest.hpp"
#include "base/text.hpp"
#include "bootstrap/why/causes/node_causes.hpp"
#include "bootstrap/why/causes/resource_causes.hpp"
#include "bootstrap/why/causes/stack_causes.hpp"
#include "bootstrap/why/incident.hpp"
#include "bootstrap/why/incident_command.hpp"
#include "bootstrap/why/page_sources.hpp"
#include "bootstrap/why/sources.hpp"
#include "bootstrap/why/value_causes.hpp"
#include "metadata/command_line.hpp"
#include "metadata/live/value_json.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::array<std::string_view, 5> k_kinds = {"image", "node", "stack", "value", "page"};
constexpr const char* k_page = "page";

/// NAME.d of a build is there, under the image's name or that of one of its files.
bool is_image(const std::string& name) {
  const std::string stem = fs::path(name).replace_extension().string();
  const auto has_records = [](const std::string& image) {
    return fs::exists(image + ".d/steps.json") || fs::exists(image + ".d/unfinished.json");
  };
  return has_records(name) || has_records(stem);
}

struct Asked {
  std::string kind;  ///< empty = whatever there is of the name
  std::string name;
  std::string resource = {};  ///< of a stack; empty = the stack itself
};

Asked asked_for(const std::vector<std::string>& words) {
  if (words.back().empty()) throw Error(ErrorKind::usage, "the name is empty: name an image, a node or a stack");
  if (words.size() == 1) return {"", words[0]};
  const std::string rest = join({words.begin() + 1, words.end()}, " ");
  if (std::find(k_kinds.begin(), k_kinds.end(), words[0]) == k_kinds.end()) {
    const auto meant = nearest(words[0], {k_kinds.begin(), k_kinds.end()});
    Error error(ErrorKind::usage, cat("'", words[0], "' is no kind of thing: image, node, stack, value or page"));
    if (meant) throw error.hint(cat("did you mean: hearth why ", *meant, " ", rest));
    throw error.hint(words.size() == 2 ? cat("did you mean: hearth why node ", rest, ", or of a resource of the stack ",
                                             words[0], ": hearth why stack ", words[0], " ", rest)
                                       : std::string("name one thing"));
  }
  if (words[0] == k_page) throw Error(ErrorKind::usage, "there is one page, without a name").hint("hearth why page");
  if (words.size() == 3 && words[0] == "stack") return {words[0], words[1], words[2]};
  if (words.size() > 2) throw Error(ErrorKind::usage, "name one thing");
  return {words[0], words[1]};
}

void print_answer(const why::Answer& answer, bool as_json) {
  cli::print(as_json ? json_document(answer.rows) : why::wrapped_findings(answer.text, cli::table_room()));
}

/// Of an incident that somebody sent.
int tell_file(const cli::Arguments& arguments, const std::string& file) {
  if (!arguments.operands().empty())
    throw Error(ErrorKind::usage, "an incident is of one node: leave the name out, or leave --file out");
  const Fd opened = open_regular(file);
  const why::Incident incident = why::unpacked(read_all(opened, file, why::k_largest_incident + 1), file);
  why::Answer answer = why::answer_of(incident);
  answer.text = cat("incident of ", incident.made_at, ", packed by hearth ", incident.hearth, "\n", answer.text);
  print_answer(answer, arguments.has("json"));
  return 0;
}

/// Whether it is a value in a document that is asked for; a thing may have the name "value".
bool is_value(const cli::Arguments& arguments) {
  return arguments.operands().size() > 1 && arguments.operands().front() == "value";
}

/// Of one that waits, with what the stack of that name tells of it, where it runs.
std::vector<why::Finding> causes_of_waiting(const cli::Arguments& arguments, const metadata::Explanation& value) {
  why::Sources sources(arguments);
  const std::string stack = arguments.value_or("name", "overcloud");
  why::ValueFacts facts{
      .value = value, .server = arguments.operands()[1], .stack = stack, .running = sources.stack(stack)};
  if (facts.running) {
    facts.lacking = sources.lacking_in(stack, value.chain);
    facts.unbegun = sources.unbegun_in(stack);
  }
  return why::causes_of(facts);
}

/// `why value SERVER KEY`: why it is not there, else where it came from.
int tell_value(const cli::Arguments& arguments, const cli::Command& value_why) {
  cli::Arguments of_value;
  for (const cli::Option& option : value_why.options) {
    for (const std::string& value : arguments.values(option.name)) of_value.add(option.name, value);
  }
  for (std::size_t i = 1; i < arguments.operands().size(); ++i) of_value.add_operand(arguments.operands()[i]);
  const metadata::Explanation found = metadata::explained(of_value);
  std::vector<why::Finding> causes;
  if (!found.value) causes = causes_of_waiting(arguments, found);
  if (arguments.has("json")) {
    Json document = metadata::live::to_json(metadata::explained_document(found));
    if (!causes.empty()) document["causes"] = why::findings_json(causes);
    cli::print(json_document(document));
    return 0;
  }
  cli::print(why::wrapped_findings(why::findings_text(causes), cli::table_room()));
  for (const std::string& line : metadata::explained_lines(found)) cli::print(line + "\n");
  return 0;
}

/// Throws where an option was given that only a value's templates have.
void refuse_options_of_values(const cli::Arguments& arguments, const cli::Command& value_why) {
  for (const cli::Option& option : value_why.options) {
    if (option.name == "json" || !arguments.has(option.name)) continue;
    throw Error(ErrorKind::usage, cat("--", option.name, " is for a value in a server's metadata"))
        .hint("hearth why value SERVER KEY --template FILE");
  }
}

/// `why page`: of the conductor that serves it, and of none that this process would make.
int tell_page(const cli::Arguments& given) {
  why::Answer answer;
  std::vector<std::string> several;
  const cli::Arguments arguments = why::beside_rehearsal(given, several);
  const auto conductor = ConductorClient::open(arguments);
  if (!conductor->lasts())
    throw Error(ErrorKind::not_found, "no conductor runs that would serve a page").hint("start one: hearth node serve");
  why::put_answer(answer, "page", k_page, why::causes_of(why::page_facts(*conductor, arguments)));
  print_answer(answer, arguments.has("json"));
  return 0;
}

/// `why` of nothing in particular: the site's nodes in trouble, each with its first cause.
int tell_site(const cli::Arguments& arguments) {
  constexpr std::size_t k_most_told = 20;
  why::Sources sources(arguments);
  why::Answer answer;
  if (sources.is_silent()) {
    why::put_answer(answer, "conductor", "", why::causes_of(*sources.silent()));
    print_answer(answer, arguments.has("json"));
    return 0;
  }
  ConductorClient* const conductor = sources.conductor();
  if (conductor == nullptr)
    throw Error(ErrorKind::usage, "why what? Name an image, a node or a stack").hint(join(sources.tried(), "\n  "));
  const Json nodes = conductor->rows("/v1/nodes/detail", "nodes");
  if (sources.unkept()) why::put_answer(answer, "conductor", "", {*sources.unkept()});
  std::size_t troubled = 0;
  for (const Json& node : nodes) {
    if (!why::is_troubled(node) || ++troubled > k_most_told) continue;
    const std::string name = text_in(node, "name").empty() ? text_in(node, "uuid") : text_in(node, "name");
    const std::optional<why::NodeFacts> facts = sources.node(name);
    if (facts) why::put_answer(answer, "node", name, {why::causes_of(*facts).front()});
  }
  if (troubled == 0 && answer.rows.empty())
    answer.text = cat(nodes.size(), nodes.size() == 1 ? " node" : " nodes",
                      ": none has failed, waits for its machine or is in maintenance (hearth why NAME of one)\n");
  if (troubled > k_most_told) answer.text += cat("\nand ", troubled - k_most_told, " more: hearth node list\n");
  print_answer(answer, arguments.has("json"));
  return 0;
}

/// The cause, and behind it the steps, a line each.
why::Answer answer_of_image(const ImageWhy& image_why, const std::string& name) {
  const why::ImageFacts facts = image_why(name);
  why::Answer answer;
  why::put_answer(answer, "image", name, why::causes_of(facts));
  if (!facts.table.empty()) answer.text += cat("\n", facts.table);
  return answer;
}

/// Behind what else has the name, which is told all the same where the image's report is broken.
void put_image(why::Answer& answer, const ImageWhy& image_why, const std::string& name) {
  if (answer.rows.empty()) {
    answer = answer_of_image(image_why, name);
    return;
  }
  try {
    const why::Answer of_image = answer_of_image(image_why, name);
    for (const Json& row : of_image.rows) answer.rows.push_back(row);
    answer.text += cat("\n", of_image.text);
  } catch (const Error& error) {
    answer.text += cat("\nimage ", name, ": ", error.story(), "\n");
  }
}

/// `why stack NAME RESOURCE`.
int tell_resource(const cli::Arguments& arguments, const Asked& asked) {
  why::Sources sources(arguments);
  const std::optional<why::StackFacts> running = sources.stack(asked.name);
  if (!running)
    throw Error(ErrorKind::not_found, cat("nothing is known of the stack ", asked.name))
        .hint(join(sources.tried(), "\n  "));
  why::ResourceFacts facts{.running = *running, .path = asked.resource};
  if (!why::is_known(facts)) facts.rest = sources.resources_of(asked.name);
  if (!why::is_known(facts)) {
    const std::vector<std::string> paths = why::paths_of(facts.rest);
    const auto meant = nearest(asked.resource, paths);
    throw Error(ErrorKind::not_found, cat("the stack ", asked.name, " has no resource ", asked.resource))
        .hint(meant ? cat("did you mean: hearth why stack ", asked.name, " ", *meant)
                    : cat("its resources: hearth stack resource list ", asked.name, " -n 9"));
  }
  why::Answer answer;
  why::put_answer(answer, "resource", cat(asked.name, " ", asked.resource), why::causes_of(facts));
  print_answer(answer, arguments.has("json"));
  return 0;
}

int run_why(const cli::Arguments& arguments, const ImageWhy& image_why) {
  if (const auto file = arguments.value("file")) return tell_file(arguments, *file);
  if (arguments.operands().empty()) return tell_site(arguments);
  if (arguments.operands() == std::vector<std::string>{k_page}) return tell_page(arguments);
  const Asked asked = asked_for(arguments.operands());
  const auto wants = [&](std::string_view kind) { return asked.kind.empty() || asked.kind == kind; };
  const bool as_json = arguments.has("json");
  const bool image = asked.kind == "image" || (asked.kind.empty() && is_image(asked.name));
  if (asked.kind == "image") {
    print_answer(answer_of_image(image_why, asked.name), as_json);
    return 0;
  }
  if (!asked.resource.empty()) return tell_resource(arguments, asked);
  why::Sources sources(arguments);
  why::Answer answer;
  const auto put = [&](std::string_view kind, const auto& facts) {
    if (facts) why::put_answer(answer, kind, asked.name, why::causes_of(*facts));
  };
  const bool elsewhere = asked.kind == "stack" && arguments.has("stack-url");
  if (!image && !elsewhere && sources.is_silent()) {
    why::put_answer(answer, "conductor", asked.name, why::causes_of(*sources.silent()));
    print_answer(answer, as_json);
    return 0;
  }
  if (wants("node")) put("node", sources.node(asked.name));
  if (wants("stack")) put("stack", sources.stack(asked.name));
  if (image) {
    put_image(answer, image_why, asked.name);
  } else if (answer.rows.empty()) {
    const std::string no_image = asked.kind.empty() ? cat("no image was built as ", asked.name, " here\n  ") : "";
    throw Error(ErrorKind::not_found, cat("nothing is known of ", asked.name))
        .hint(cat(no_image, join(sources.tried(), "\n  ")));
  }
  print_answer(answer, as_json);
  return 0;
}

}  // namespace

std::vector<cli::Command> why_commands(ImageWhy image_why, const cli::Command& value_why) {
  std::vector<cli::Option> options = why::with_sources(
      {{"file", 0, "FILE", "of an incident that somebody packed (hearth incident)"}, {"json", 0, "", "print JSON"}});
  for (cli::Option& option : cli::under("Of a value", value_why.options)) {
    if (option.name != "json") options.push_back(std::move(option));
  }
  return {
      {"why", "[[image|node|stack|value] NAME [RESOURCE|KEY]|page]",
       "say why a node, a stack, a build or a value is as it is, the true cause first",
       "  hearth why NAME                   an image, a node, a stack: all of that name\n"
       "  hearth why image|node|stack NAME  that kind of thing\n"
       "  hearth why stack NAME RESOURCE    one of its resources: Compute.0.Run\n"
       "  hearth why value SERVER KEY …     a value in a server's metadata\n"
       "  hearth why page                   who is slow when the status page is\n"
       "  hearth why                        a site's nodes that failed or wait\n\n"
       "Reads what the conductor, its boot servers and the stack service know, or the report of an image's last "
       "build; asks no machine. One sentence, what was seen, and what to do next; further causes behind it, and of an "
       "image the steps of its build (their whole report: `image why NAME --json`). Of a name that is several things "
       "each is told. With --file it answers from an incident as its site would. Of `value SERVER KEY --template FILE` "
       "it prints the functions, parameters and files that the value came from, as `hearth metadata explain` does; of "
       "one that waits first for whom, and, where the stack of that --name runs, since when and what to do. Of `page` "
       "it measures the conductor, its store, the disk, a request, its machine, BMCs, the way there. A conductor that "
       "answers nobody is told as the cause within ten seconds, whatever was asked.\n\n"
       "Exit code 0: there is an answer; 1: nothing of that name is known.\n\n"
       "Example: hearth why web1",
       options,
       [image_why, value_why](const cli::Arguments& arguments) {
         if (is_value(arguments)) return tell_value(arguments, value_why);
         refuse_options_of_values(arguments, value_why);
         return run_why(arguments, image_why);
       },
       "", true},
      why::incident_command()};
}

}  // namespace hearth::bootstrap
