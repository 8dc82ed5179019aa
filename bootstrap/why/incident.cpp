#include "bootstrap/why/incident.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "bootstrap/client/node_text.hpp"
#include "pxe/boot/explain.hpp"

namespace hearth::bootstrap::why {

namespace {

constexpr std::string_view k_manifest = "manifest.json";
constexpr std::string_view k_facts = "facts.json";
constexpr std::string_view k_log = "ramdisk.log";
constexpr std::string_view k_console = "console.log";
constexpr std::string_view k_sums = "SHA256SUMS";
/// All that there is, in order; the last has the digests of those before.
constexpr auto k_members = std::to_array<std::string_view>(
    {k_manifest, "why.txt", k_facts, "events.txt", "boot.txt", k_log, k_console, k_sums});
/// More than that is no incident, however small it was packed.
constexpr std::size_t k_most_unpacked = std::size_t{64} << 20U;

using Members = std::map<std::string, std::string, std::less<>>;

struct FreeArchive {
  void operator()(archive* one) const { ::archive_free(one); }
};
struct FreeEntry {
  void operator()(archive_entry* entry) const { ::archive_entry_free(entry); }
};
using OpenArchive = std::unique_ptr<archive, FreeArchive>;

std::string archive_fault(archive* one) {
  const char* why = ::archive_error_string(one);
  return why == nullptr ? "unknown" : why;
}

void check_packing(archive* out, la_ssize_t code) {
  if (code < ARCHIVE_WARN) throw Error(ErrorKind::io, cat("packing the incident: ", archive_fault(out)));
}

la_ssize_t append_bytes(archive*, void* out, const void* data, std::size_t size) {
  static_cast<std::string*>(out)->append(static_cast<const char*>(data), size);
  return static_cast<la_ssize_t>(size);
}

std::string archive_of(const Members& members) {
  std::string bytes;
  const OpenArchive out(::archive_write_new());
  check_packing(out.get(), ::archive_write_set_format_ustar(out.get()));
  check_packing(out.get(), ::archive_write_add_filter_zstd(out.get()));
  ::archive_write_set_bytes_in_last_block(out.get(), 1);
  check_packing(out.get(), ::archive_write_open(out.get(), &bytes, nullptr, append_bytes, nullptr));
  for (const std::string_view name : k_members) {
    const auto member = members.find(name);
    if (member == members.end()) continue;
    const std::unique_ptr<archive_entry, FreeEntry> entry(::archive_entry_new());
    ::archive_entry_set_pathname(entry.get(), member->first.c_str());
    ::archive_entry_set_filetype(entry.get(), AE_IFREG);
    ::archive_entry_set_perm(entry.get(), 0600);
    ::archive_entry_set_size(entry.get(), static_cast<la_int64_t>(member->second.size()));
    check_packing(out.get(), ::archive_write_header(out.get(), entry.get()));
    check_packing(out.get(), ::archive_write_data(out.get(), member->second.data(), member->second.size()));
  }
  check_packing(out.get(), ::archive_write_close(out.get()));
  return bytes;
}

std::string sums_of(const Members& members) {
  std::string sums;
  for (const std::string_view name : k_members) {
    const auto member = members.find(name);
    if (name != k_sums && member != members.end())
      sums += cat(hex_digest(HashKind::sha256, member->second), "  ", name, "\n");
  }
  return sums;
}

std::string json_text(const Json& value) { return cat(format_json(value, {.indent = 1, .lossy = true}), "\n"); }

Members members_of(const Incident& incident) {
  Members members;
  members[std::string(k_manifest)] = json_text({{"incident_format", incident.console.empty() ? 1 : k_incident_format},
                                                {"hearth", incident.hearth},
                                                {"made_at", incident.made_at},
                                                {"node", incident.node},
                                                {"left_out", incident.left_out}});
  members["why.txt"] = answer_of(incident).text;
  Json facts = {{"node", facts_json(incident.facts)}, {"images", incident.images}, {"stacks", Json::array()}};
  for (const IncidentStack& stack : incident.stacks)
    facts["stacks"].push_back({{"name", stack.name}, {"facts", facts_json(stack.facts)}});
  members[std::string(k_facts)] = json_text(facts);
  for (const Json& event : incident.facts.events) members["events.txt"] += cat(event_line(event), "\n");
  std::vector<std::string> lines;
  for (const Json& line : incident.facts.boot_log.value_or(Json::array())) lines.push_back(format_json(line));
  if (!lines.empty()) members["boot.txt"] = pxe::boot_log(lines);
  if (!incident.ramdisk_log.empty()) members[std::string(k_log)] = incident.ramdisk_log;
  if (!incident.console.empty()) members[std::string(k_console)] = incident.console;
  members[std::string(k_sums)] = sums_of(members);
  return members;
}

/// The newer half of a list.
void halve(Json& list) { list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>((list.size() + 1) / 2)); }

/// False where nothing is left that could be left out.
bool made_smaller(Incident& incident) {
  std::string what;
  if (incident.console.size() > 4096) {
    incident.console.erase(0, incident.console.size() / 2);
    what = "the beginning of the console";
  } else if (incident.ramdisk_log.size() > 4096) {
    incident.ramdisk_log.erase(0, incident.ramdisk_log.size() / 2);
    what = "the beginning of the ramdisk's log";
  } else if (incident.facts.boot_log && incident.facts.boot_log->size() > 64) {
    halve(*incident.facts.boot_log);
    what = "old requests to the boot servers";
  } else if (!incident.facts.events.empty()) {
    halve(incident.facts.events);
    what = "old events";
  } else if (!incident.stacks.empty()) {
    what = cat("the stack ", incident.stacks.back().name);
    incident.stacks.pop_back();
  } else {
    return false;
  }
  if (std::find(incident.left_out.begin(), incident.left_out.end(), what) == incident.left_out.end())
    incident.left_out.push_back(what);
  return true;
}

Error no_incident(const std::string& source, std::string_view why) {
  return Error(ErrorKind::input, cat(source, " is no incident: ", why))
      .hint("hearth incident NODE makes one; of a node here ask by its name: hearth why NODE");
}

Error damaged(const std::string& source, std::string_view why) {
  return Error(ErrorKind::input, cat(source, " is damaged: ", why)).hint("have it sent again");
}

std::string content_of(archive* in, const std::string& source, std::size_t& unpacked) {
  std::string content;
  std::array<char, 65536> buffer{};
  while (true) {
    const la_ssize_t got = ::archive_read_data(in, buffer.data(), buffer.size());
    if (got == 0) return content;
    if (got < 0) throw damaged(source, archive_fault(in));
    unpacked += static_cast<std::size_t>(got);
    if (unpacked > k_most_unpacked) throw no_incident(source, "it unpacks to more than 64 MiB");
    content.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

Json json_member(const Members& members, std::string_view name, const std::string& source) {
  const auto member = members.find(name);
  if (member == members.end()) throw no_incident(source, cat("it holds no ", name));
  return parse_json(member->second, cat(source, "/", name)).value_or_throw();
}

Json manifest_of(const Members& members, const std::string& source) {
  const Json manifest = json_member(members, k_manifest, source);
  const auto format = manifest.is_object() ? manifest.find("incident_format") : manifest.end();
  if (!manifest.is_object() || format == manifest.end() || !format->is_number_integer())
    throw no_incident(source, "its manifest names no format");
  if (*format >= 1 && *format <= k_incident_format) return manifest;
  throw Error(ErrorKind::unsupported,
              cat(source, " was made by hearth ", safe_text(text_in(manifest, "hearth")), " in format ",
                  format_json(*format), "; this program reads formats up to ", k_incident_format))
      .hint("read it with a hearth that is as new");
}

/// The manifest, which stands first, is looked at before what follows: a later format may have further members.
Members read_members(std::string_view bytes, const std::string& source) {
  const OpenArchive in(::archive_read_new());
  ::archive_read_support_filter_zstd(in.get());
  ::archive_read_support_format_tar(in.get());
  if (::archive_read_open_memory(in.get(), bytes.data(), bytes.size()) != ARCHIVE_OK)
    throw no_incident(source, archive_fault(in.get()));
  Members members;
  std::size_t unpacked = 0;
  archive_entry* entry = nullptr;
  while (true) {
    const int code = ::archive_read_next_header(in.get(), &entry);
    if (code == ARCHIVE_EOF) return members;
    if (code != ARCHIVE_OK)
      throw members.empty() ? no_incident(source, archive_fault(in.get())) : damaged(source, archive_fault(in.get()));
    const char* path = ::archive_entry_pathname(entry);
    const std::string name = path == nullptr ? "" : path;
    const bool known = std::find(k_members.begin(), k_members.end(), name) != k_members.end();
    if (!known || ::archive_entry_filetype(entry) != AE_IFREG || ::archive_entry_hardlink(entry) != nullptr)
      throw no_incident(source, cat("it holds '", safe_text(name), "', which none has"));
    if (!members.emplace(name, content_of(in.get(), source, unpacked)).second)
      throw no_incident(source, cat("it holds ", name, " twice"));
    if (name == k_manifest) static_cast<void>(manifest_of(members, source));
  }
}

}  // namespace

void put_answer(Answer& answer, std::string_view kind, const std::string& name, const std::vector<Finding>& found) {
  answer.rows.push_back({{"kind", kind}, {"name", name}, {"findings", findings_json(found)}});
  const bool is_the_one = name.empty() || name == kind;  // "page:", of which there is no other
  answer.text +=
      cat(answer.text.empty() ? "" : "\n", kind, is_the_one ? "" : cat(" ", name), ": ", findings_text(found));
}

Answer answer_of(const Incident& incident) {
  Answer answer;
  put_answer(answer, "node", incident.node, causes_of(incident.facts));
  for (const IncidentStack& stack : incident.stacks) put_answer(answer, "stack", stack.name, causes_of(stack.facts));
  return answer;
}

std::string packed(Incident incident, std::size_t largest) {
  incident.facts = safe_facts(incident.facts);
  for (IncidentStack& stack : incident.stacks) stack.facts = safe_facts(stack.facts);
  while (true) {
    std::string bytes = archive_of(members_of(incident));
    if (bytes.size() <= largest) return bytes;
    if (!made_smaller(incident)) throw Error(ErrorKind::input, "what is known of the node alone is too large to pack");
  }
}

Incident unpacked(std::string_view bytes, const std::string& source) {
  if (bytes.size() > k_largest_incident) throw no_incident(source, "it is larger than 5 MB");
  const Members members = read_members(bytes, source);
  const Json manifest = manifest_of(members, source);
  const auto sums = members.find(k_sums);
  if (sums == members.end()) throw damaged(source, "it is cut off: it holds no digests");
  if (sums->second != sums_of(members)) throw damaged(source, "a digest does not hold: it was changed on its way");
  const Json facts = json_member(members, k_facts, source);
  if (!facts.is_object()) throw no_incident(source, "its facts are none");
  Incident incident{.node = safe_text(text_in(manifest, "node")),
                    .made_at = safe_text(text_in(manifest, "made_at")),
                    .hearth = safe_text(text_in(manifest, "hearth")),
                    .facts = node_facts_of(facts.value("node", Json()))};
  for (const Json& stack : facts.value("stacks", Json::array())) {
    if (stack.is_object())
      incident.stacks.push_back({safe_text(text_in(stack, "name")), stack_facts_of(stack.value("facts", Json()))});
  }
  const auto log = members.find(k_log);
  if (log != members.end()) incident.ramdisk_log = log->second;
  const auto console = members.find(k_console);
  if (console != members.end()) incident.console = console->second;
  return incident;
}

}  // namespace hearth::bootstrap::why
