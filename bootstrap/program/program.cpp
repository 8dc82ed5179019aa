#include "bootstrap/program/program.hpp"

#include <algorithm>

#include "base/cli/layout.hpp"
#include "base/cli/table.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "bootstrap/bundle/commands.hpp"
#include "bootstrap/cli/commands.hpp"
#include "bootstrap/cli/known_names.hpp"
#include "bootstrap/program/doc_pages.hpp"
#include "bootstrap/program/init.hpp"
#include "bootstrap/program/reference_pages.hpp"
#include "bootstrap/program/schemas.hpp"
#include "bootstrap/rehearse/commands.hpp"
#include "bootstrap/seed/commands.hpp"
#include "bootstrap/simulate/commands.hpp"
#include "bootstrap/site/boot_site.hpp"
#include "bootstrap/site/commands.hpp"
#include "bootstrap/why/commands.hpp"
#include "builder/channels/commands.hpp"
#include "builder/commands.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/vm/commands.hpp"
#include "metadata/commands.hpp"
#include "metadata/live/serve_command.hpp"
#include "metadata/live/stack_commands.hpp"
#include "metadata/live/token_commands.hpp"
#include "metadata/lsp/lsp_command.hpp"
#include "pxe/commands.hpp"

namespace hearth::bootstrap::program {

namespace {

/// Where the manual is installed; in a build tree a path of the sources.
std::string pages_directory(const fs::path& executable) {
  const fs::path installed = executable.parent_path().parent_path() / "share/doc/hearth/docs";
  boost::system::error_code hidden;
  return fs::is_directory(installed, hidden) ? installed.string() : "docs";
}

/// Words that no command has, and what is typed in their place.
std::vector<std::pair<std::string, std::string>> elsewhere() {
  constexpr const char* k_nodes = "machines are nodes here: hearth node list, hearth help nodes";
  std::vector<std::pair<std::string, std::string>> rows = {
      {"status",
       "hearth node list: the machines; hearth stack list: the stacks; hearth seed status: a seed that is a virtual "
       "machine; hearth image list: images for machines"},
      {"list",
       "hearth node list: the machines; hearth image list: images for machines; hearth stack list: the stacks; hearth "
       "element list: what images are made of"},
      {"build", "hearth image create: an image; hearth element list: what it is made of"},
      {"logs",
       "hearth node events NODE: what happened to a machine; hearth node log NODE: what its ramdisk told; "
       "NAME.d/build.log: of an image"},
      {"machine", k_nodes},
      {"machines", k_nodes},
      {"server", k_nodes},
      {"node start", "hearth node power on NODE"},
      {"node stop", "hearth node power off NODE"},
      {"node restart", "hearth node reboot NODE"},
      {"node ssh", "hearth node console NODE: its serial console"},
      {"image sign", "hearth image create --sign-key KEY: signs what it builds"},
      {"image resize",
       "hearth image create --image-size SIZE: how large a disk is; at its first start it grows to the machine's"}};
  // What the conductor answers, and no command here asks for.
  for (const char* begin :
       {"node boot device", "node boot mode", "node secure boot", "node inject nmi", "node bios", "node firmware"})
    rows.emplace_back(begin, cat("openstack baremetal ", begin,
                                 " … does it, at the same conductor (hearth help ironic: how to point it there)"));
  return rows;
}

/// What `help` has a page of, beside the manual's.
std::vector<std::string> elements_and_variables(const fs::path& executable) {
  std::vector<std::string> names = builder::element_names(executable)();
  if (names.empty()) return names;  // there are no elements, or they can't be read
  for (const auto& [variable, elements] : builder::variables_of_elements(executable)) names.push_back(variable);
  return names;
}

/// Below what holds for all, what the commands say of their exit codes themselves.
void add_exit_codes(cli::Program& program) {
  constexpr std::size_t k_width = 80;
  constexpr std::size_t k_indent = 6;
  std::string text;
  for (const cli::Command& row : program.commands) {
    for (const cli::Paragraph& paragraph : cli::paragraphs(row.details)) {
      if (!paragraph.label.starts_with("Exit")) continue;
      text += cat("  ", program.name, " ", row.words, "\n", std::string(k_indent, ' '),
                  cli::wrapped(paragraph.text, k_width, k_indent, k_indent), "\n");
    }
  }
  for (cli::Topic& topic : program.topics) {
    if (topic.name == "exit-codes") topic.text += cat("\n\n", text);
  }
}

}  // namespace

cli::Program make_program(const fs::path& executable) {
  cli::Program program{.name = "hearth",
                       .summary = "takes a datacentre from nothing to its first running machines",
                       .version = build_version(),
                       .commands = {}};
  program.groups = journeys();
  program.topics = help_topics();
  program.references = reference_pages(executable);
  program.pages = doc_pages();
  program.pages_at = pages_directory(executable);
  program.further = [executable](const std::string& name) {
    const std::optional<cli::Topic> element = builder::element_topic(name, executable);
    return element ? element : builder::variable_topic(name, executable);
  };
  program.further_names = [executable] { return elements_and_variables(executable); };
  program.links = builder::link_commands(executable);
  program.known = [executable](const std::string& what, const std::vector<std::string>& words) {
    std::vector<std::string> names = builder::known_names(what, words, executable);
    return names.empty() ? bootstrap::known_names(what, words) : names;
  };
  const auto add = [&](const char* group, std::vector<cli::Command> rows) {
    for (cli::Command& row : cli::in_group(group, std::move(rows))) program.commands.push_back(std::move(row));
  };
  const auto named = [](const std::vector<cli::Command>& rows, std::string_view words) -> const cli::Command& {
    return *std::find_if(rows.begin(), rows.end(), [&](const cli::Command& row) { return row.words == words; });
  };
  std::vector<cli::Command> of_images = builder::commands(executable);
  std::vector<cli::Command> of_metadata = metadata::commands();
  const auto image_why = [](const std::string& image) {
    builder::ImageStory story = builder::image_story(image, cli::table_room());
    return bootstrap::why::ImageFacts{std::move(story.report), std::move(story.table), story.directory.string()};
  };
  add("nodes", bootstrap::why_commands(image_why, named(of_metadata, "metadata explain")));
  add("images", std::move(of_images));
  add("images", builder::vm::commands(
                    {builder::channels::source_options(), builder::channels::image_named, [](const fs::path& image) {
                       return builder::records_directory(image.string()) / builder::k_manifest_file;
                     }}));
  add("images", schema_commands());
  add("images", init_commands(executable));
  add("metadata", std::move(of_metadata));
  add("metadata", metadata::lsp::commands());
  add("metadata", {metadata::live::serve_command()});
  add("metadata", metadata::live::token_commands());
  add("metadata", metadata::live::stack_commands());
  add("network-boot", pxe::commands([](const std::string& path, pxe::SiteUse use) {
        return bootstrap::load_boot_site(path, "/var/lib/hearth-pxe", use);
      }));
  add("nodes", bootstrap::commands());
  add("site", bootstrap::site_commands());
  add("site", bootstrap::seed_commands(executable));
  add("site", bootstrap::rehearse_commands(executable));
  add("site", bootstrap::simulate_commands(executable));
  add("offline", bootstrap::bundle::commands(executable));
  program.elsewhere = elsewhere();
  add_exit_codes(program);
  return program;
}

std::vector<std::string> misspelt_variables(const Environment& environment) {
  constexpr std::string_view k_prefix = "HEARTH_";
  const bool any = std::any_of(environment.begin(), environment.end(),
                               [&](const auto& each) { return each.first.starts_with(k_prefix); });
  if (!any) return {};
  std::vector<std::string> known;  // without the prefix, which would count as likeness
  for (const cli::Topic& topic : help_topics()) {
    if (topic.name != "environment") continue;
    for (std::size_t at = topic.text.find(k_prefix); at != std::string::npos; at = topic.text.find(k_prefix, at + 1)) {
      const std::size_t begin = at + k_prefix.size();
      const std::size_t end = topic.text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", begin);
      known.push_back(topic.text.substr(begin, end - begin));
    }
  }
  std::vector<std::string> lines;
  for (const auto& [name, value] : environment) {
    if (!name.starts_with(k_prefix)) continue;
    const std::string rest = name.substr(k_prefix.size());
    if (std::find(known.begin(), known.end(), rest) != known.end()) continue;
    const std::optional<std::string> near = nearest(rest, known);
    if (near)
      lines.push_back(cat("warning: ", name, " is set, and nothing reads it; did you mean ", k_prefix, *near, "?"));
  }
  return lines;
}

}  // namespace hearth::bootstrap::program
