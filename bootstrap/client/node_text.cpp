#include "bootstrap/client/node_text.hpp"

#include <algorithm>
#include <map>

#include "base/cli/layout.hpp"
#include "base/cli/table.hpp"
#include "base/log.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

/// "23:31:40 UTC", of a time by ISO 8601; of anything else, all of it.
std::string time_of_day(const std::string& at) { return at.size() < 19 ? at : cat(at.substr(11, 8), " UTC"); }

/// Nothing was heard of it since its job began: then another card that asks may be its own.
std::string silence_text(const Json& job) {
  constexpr std::size_t k_told = 2;
  std::vector<std::string> macs;
  for (const Json& mac : list_member(job, "strangers")) macs.push_back(text_of(mac));
  if (macs.empty()) return "; nothing was heard of its machine yet";
  return cat("; nothing was heard of its machine yet, but of ", macs.size() == 1 ? "a card that is" : "cards that are",
             " no node's: ", join_first(macs, k_told), " (hearth why NODE)");
}

/// At most a line of it: `node show` has the whole text.
std::string short_line(const std::string& text) {
  constexpr std::size_t k_most = 160;
  const std::string line = text.substr(0, text.find('\n'));
  if (line.size() <= k_most) return line;
  std::size_t end = k_most;
  while (end > 0 && (line[end] & 0xC0) == 0x80) --end;  // no half characters
  return cat(line.substr(0, end), "…");
}

/// What its system was overheard to ask in vain, if that was the last sign of it and is not long ago.
std::string asked_in_vain(const Json& node, Stamp now) {
  constexpr Stamp k_fresh = 300'000'000;
  const Json internal = node.value("driver_internal_info", Json::object());
  const Json seen = internal.is_object() ? internal.value("last_seen", Json::object()) : Json::object();
  const std::string how = seen.is_object() ? text_in(seen, "how") : "";
  const std::string at = seen.is_object() ? text_in(seen, "at") : "";
  if (how.rfind(k_in_vain, 0) != 0 || at.size() < 19 || now - parse_stamp(at) > k_fresh) return "";
  return cat(how, ", at ", time_of_day(at));
}

/// Why a node is where it is; empty when there is nothing to say.
/// " 64%", of an image that is being written.
std::string share_fetched(const Json& internal) {
  const Json& progress = member_or_null(internal, "progress");
  const Json& whole = member_or_null(progress, "to_fetch");
  const Json& fetched = member_or_null(progress, "fetched");
  if (!whole.is_number_integer() || !fetched.is_number_integer() || whole <= 0 || fetched < 0) return "";
  return cat(" ", static_cast<int>(std::min(100.0, 100.0 * fetched.get<double>() / whole.get<double>())), "%");
}

std::string reason_of(const Json& node, Stamp now) {
  for (const char* key : {"last_error", "maintenance_reason"}) {
    const std::string text = text_in(node, key);
    if (!text.empty()) return short_line(text);
  }
  if (const std::string vain = asked_in_vain(node, now); !vain.empty()) return short_line(vain);
  const StateKind kind = kind_of(parse_state(text_in(node, "provision_state")).value_or(State::available));
  if (kind != StateKind::working && kind != StateKind::waiting) return "";
  const Json internal = node.value("driver_internal_info", Json::object());
  const auto job = internal.find("job");
  std::string text = job == internal.end() ? "" : cat(text_in(*job, "stage"), share_fetched(internal));
  if (job != internal.end() && job->value("waits_for_turn", false))
    return cat(text, "; it waits for its turn: only so many machines boot at once");
  const auto seen = internal.find("last_seen");
  const bool is_by_hand = !object_member(internal, "operator_instruction").empty();
  if (job == internal.end() && seen == internal.end() && !is_by_hand) return "";
  if (is_by_hand) text += "; a person is to switch it: hearth node todo";
  const Json told = job == internal.end() ? Json::object() : *job;
  const bool was_heard =
      seen != internal.end() && parse_stamp(text_in(*seen, "at")) >= parse_stamp(text_in(told, "begun"));
  if (!is_by_hand && was_heard)
    text += cat("; last heard of at ", time_of_day(text_in(*seen, "at")), ": ", text_in(*seen, "how"));
  else if (!is_by_hand && kind == StateKind::waiting)
    text += silence_text(told);
  return short_line(text.rfind("; ", 0) == 0 ? text.substr(2) : text);
}

/// When its machine is given up, by ISO 8601; empty where none is waited for, or the conductor does not tell.
std::string waits_until(const Json& node) {
  return text_in(object_member(object_member(node, "driver_internal_info"), "job"), "until");
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (const std::string& line : split_lines(text)) widest = std::max(widest, cli::columns(line));
  return widest;
}

/// For terminals that are too narrow for a table: a few lines for each node.
std::string node_paragraphs(const Json& nodes, const std::vector<std::string>& reasons, std::size_t room) {
  std::string text;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Json& node = nodes[i];
    const std::string uuid = shown_value(node["uuid"]);
    const bool named = node["name"].is_string() && node["name"] != "";
    std::vector<std::string> lines = {
        cat(named ? shown_value(node["name"]) : uuid, ": ", shown_value(node["provision_state"]), ", ",
            node["power_state"].is_null() ? "power not known yet" : shown_value(node["power_state"]),
            node["maintenance"] == true ? ", maintenance" : "")};
    if (named) lines.push_back(uuid);
    if (node["instance_uuid"].is_string()) lines.push_back(cat("instance ", shown_value(node["instance_uuid"])));
    if (!reasons[i].empty()) lines.push_back(reasons[i]);
    for (std::size_t at = 0; at < lines.size(); ++at) {
      const std::string indent = at == 0 ? "" : "  ";
      text += cat(indent, replace_all(cli::fitted(one_line(lines[at]), room - indent.size()), "\n", cat("\n", indent)),
                  "\n");
    }
  }
  return text;
}

}  // namespace

std::string shown_value(const Json& value) { return value.is_string() ? value.get<std::string>() : python_text(value); }

std::string node_table(const Json& nodes, bool seed_words, Stamp now, std::size_t room) {
  std::vector<cli::Row> rows;
  for (const Json& node : nodes) {
    std::string state = shown_value(node["provision_state"]);
    std::string instance = shown_value(node["instance_uuid"]);
    if (seed_words && state == "wait call-back") state = "deploy wait-callback";
    if (seed_words && instance == "None") instance.clear();
    rows.push_back({shown_value(node["uuid"]), shown_value(node["name"]), instance, shown_value(node["power_state"]),
                    state, shown_value(node["maintenance"])});
  }
  cli::Row head = {"UUID", "Name", "Instance UUID", "Power State", "Provisioning State", "Maintenance"};
  std::vector<std::string> reasons;
  for (const Json& node : nodes) reasons.push_back(reason_of(node, now));
  const bool any = !seed_words && std::any_of(reasons.begin(), reasons.end(),
                                              [](const std::string& reason) { return !reason.empty(); });
  for (std::size_t i = 0; any && i < rows.size(); ++i) rows[i].push_back(reasons[i]);
  if (any) head.emplace_back("Reason");
  std::string text = cli::table(head, rows, room);
  return room == 0 || nodes.empty() || widest_line(text) <= room ? text : node_paragraphs(nodes, reasons, room);
}

std::string node_line(const std::string& called, const Json& node) {
  const std::string until = waits_until(node);
  std::string about = reason_of(node, 0);
  if (!until.empty()) about += cat(about.empty() ? "until " : "; until ", time_of_day(until));
  return cat(called, ", which is ", text_in(node, "provision_state"), about.empty() ? "" : cat(" (", about, ")"));
}

std::string node_lines(const Json& nodes) {
  constexpr std::size_t k_most_names = 8;
  constexpr std::size_t k_most_groups = 4;
  struct Group {
    std::vector<std::string> names;
    std::string until;
  };
  std::vector<std::pair<std::string, Group>> groups;
  for (const Json& node : nodes) {
    const std::string reason = reason_of(node, 0);
    const std::string about = cat(text_in(node, "provision_state"), reason.empty() ? "" : cat(", ", reason));
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == about; });
    if (group == groups.end()) group = groups.insert(group, {about, {}});
    group->second.names.push_back(text_in(node, "name", text_in(node, "uuid")));
    group->second.until = std::max(group->second.until, waits_until(node));
  }
  std::vector<std::string> lines;
  std::size_t more = 0;
  for (auto& [about, group] : groups) {
    if (lines.size() == k_most_groups) {
      more += group.names.size();
      continue;
    }
    lines.push_back(cat(join_first(group.names, k_most_names), " (", about,
                        group.until.empty() ? "" : cat("; until ", time_of_day(group.until)), ")"));
  }
  return cat(join(lines, "; "), more > 0 ? cat("; and ", more, " more") : "");
}

std::string fields_table(const Json& object, std::size_t room) {
  std::map<std::string, std::string> sorted;
  for (const auto& [key, value] : object.items()) sorted[key] = shown_value(value);
  std::vector<cli::Row> rows;
  for (const auto& [key, value] : sorted) rows.push_back({key, value});
  const std::string text = cli::table({"Field", "Value"}, rows, room);
  if (room == 0 || widest_line(text) <= room) return text;
  constexpr std::size_t k_indent = 4;
  std::string lines;
  for (const cli::Row& row : rows)
    lines += cat(replace_all(cli::fitted(cat(row[0], ": ", one_line(row[1])), room - k_indent), "\n", "\n    "), "\n");
  return lines;
}

std::string event_line(const Json& event) {
  const std::string at = cat(replace_all(text_in(event, "at").substr(0, 19), "T", " "), " UTC");
  const std::string who = text_in(event, "name");
  const std::string doer = text_in(event.value("detail", Json::object()), "who");
  return one_line(cat(at, " ", who.empty() ? "site" : who, " ", text_in(event, "kind"), ": ",
                      lines_as_one(text_in(event, "text")), doer.empty() ? "" : cat(" (", doer, ")")));
}

}  // namespace hearth::bootstrap
