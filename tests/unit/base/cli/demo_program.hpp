// A small program with groups, topics and links, for the tests of what is made from command tables.
#pragma once

#include "base/cli/command.hpp"
#include "base/error.hpp"

namespace hearth::cli {

inline Program demo() {
  const auto nothing = [](const Arguments&) -> int { return 0; };
  Program program{.name = "demo", .summary = "shows things", .version = "1.2", .commands = {}};
  program.commands = {
      {.words = "image create",
       .operands = "ELEMENT…",
       .summary = "makes an image",
       .details = "At length.\n\nExample: demo image create -o a b",
       .options = {{"output", 'o', "FILE", "where to"},
                   {"quiet", 'q', "", "less"},
                   {"type", 't', "TYPE[,TYPE…]", "what to write", {"raw", "qcow2"}, "Results"},
                   {"cache", 0, "DIR", "what is kept", {}, "Results"}},
       .run = [](const Arguments& a) { return static_cast<int>(a.operands().size()); },
       .group = "images",
       .first = true,
       .names =
           [] {
             return std::vector<std::string>{"vm", "debian"};
           }},
      {.words = "image show", .operands = "IMAGE", .summary = "shows one", .run = nothing, .group = "images"},
      {.words = "node power on", .operands = "NODE", .summary = "switches one on", .run = nothing, .group = "nodes"},
      {.words = "node power off", .operands = "NODE", .summary = "switches one off", .run = nothing, .group = "nodes"},
      {.words = "plan",
       .summary = "prints the plan",
       .options = {{"json", 0, "", "as JSON"}},
       .run = [](const Arguments&) -> int { throw Error(ErrorKind::external, "hook failed", 42); },
       .group = "images"},
      {.words = "crash",
       .summary = "breaks",
       .run = [](const Arguments&) -> int { throw std::logic_error("oops"); },
       .group = "nodes"},
      {.words = "stop",
       .summary = "is stopped",
       .run = [](const Arguments&) -> int { throw Error(ErrorKind::interrupted, "stopped"); },
       .group = "nodes"},
  };
  program.groups = {{"images", "Images", "What boots."}, {"nodes", "Nodes", ""}};
  program.topics = {{"exit-codes", "Exit status", "0 done, 1 failed."}};
  program.links = {{.words = "disk-image-create",
                    .operands = "ELEMENT…",
                    .summary = "makes an image, as ever",
                    .options = {{"", 'x', "", "trace"}},
                    .run = [](const Arguments& a) { return 10 + static_cast<int>(a.operands().size()); }}};
  return program;
}

}  // namespace hearth::cli
