#include "bootstrap/deploy/choice.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

std::string capability_of(const Json& node, std::string_view key) {
  const Json properties = node.value("properties", Json::object());
  for (const auto& [name, value] : parse_capabilities(text_in(properties, "capabilities"))) {
    if (name == key) return value;
  }
  return "";
}

/// "CUSTOM_BIG_ONE" and "big-one" are one resource class.
std::string plain_class(const std::string& text) {
  std::string plain = to_lower(text);
  if (plain.rfind("custom_", 0) == 0) plain.erase(0, 7);
  return replace_all(plain, "-", "_");
}

constexpr const char* k_no_profile = "has no profile";

struct ServerWish {
  std::string id, name, flavor, node;
  [[nodiscard]] bool any_flavor() const { return flavor.empty() || to_lower(flavor) == "baremetal"; }
  /// The pickiest choose first.
  [[nodiscard]] int rank() const { return !node.empty() ? 0 : any_flavor() ? 2 : 1; }
};

ServerWish server_wish(const Json& server) {
  const Json& properties = object_member(server, "properties");
  const Json& hints = object_member(properties, "scheduler_hints");
  return {text_in(server, "id"), text_in(server, "name"), text_in(properties, "flavor"),
          text_in(hints, "capabilities:node", text_in(hints, "node"))};
}

/// Why this node is not for that server; empty where it is. `busy`: it may be, later.
std::string objection(const ServerWish& wish, const Json& node, const std::set<std::string>& taken, bool& busy) {
  busy = false;
  if (!wish.node.empty() && capability_of(node, "node") != wish.node && node_title(node) != wish.node) {
    return cat("is not node ", wish.node);
  }
  if (!wish.any_flavor()) {
    const std::string profile = capability_of(node, "profile");
    const std::string own = text_in(node, "resource_class");
    if (profile != wish.flavor && plain_class(own) != plain_class(wish.flavor)) {
      return profile.empty() ? cat(k_no_profile, ", and resource class ", own.empty() ? "none" : own)
                             : cat("has profile ", profile);
    }
  }
  if (taken.contains(text_in(node, "uuid"))) return "is taken by another server of this stack";
  if (node.value("maintenance", false))
    return cat("is in maintenance: ", text_in(node, "maintenance_reason", "no reason is given"));
  if (const std::string owner = text_in(object_member(node, "driver_internal_info"), k_given_to); !owner.empty())
    return cat("was given to ", owner);
  const std::string instance = text_in(node, "instance_uuid");
  const std::string word = text_in(node, "provision_state");
  const std::optional<State> state = parse_state(word);
  if (!instance.empty()) return cat("is in use (", word, ", instance ", instance, ")");
  if (state == State::available) return "";
  busy = state && (kind_of(*state) == StateKind::working || kind_of(*state) == StateKind::waiting);
  const std::string error = text_in(node, "last_error");
  return cat("is ", word, error.empty() ? "" : cat(": ", error));
}

/// Which nodes to try first: those that nobody else wants.
std::vector<const Json*> in_order(const Json& nodes) {
  std::vector<const Json*> order;
  for (const Json& node : nodes) order.push_back(&node);
  std::stable_sort(order.begin(), order.end(), [](const Json* a, const Json* b) {
    const auto key = [](const Json& node) {
      return std::make_tuple(!capability_of(node, "node").empty(), !capability_of(node, "profile").empty(),
                             node_title(node));
    };
    return key(*a) < key(*b);
  });
  return order;
}

/// What is said against nodes, and against which: in a hall it is the same of most.
using Objections = std::vector<std::pair<std::string, std::vector<std::string>>>;

void object(Objections& all, const std::string& why, const std::string& title) {
  const auto same = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == why; });
  if (same == all.end())
    all.push_back({why, {title}});
  else
    same->second.push_back(title);
}

/// "a is in maintenance: fan; b, c, d and 10 more: each has no profile"
std::string objections_text(const Objections& all) {
  constexpr std::size_t k_named = 4;
  std::vector<std::string> parts;
  for (const auto& [why, titles] : all) {
    const std::size_t named = titles.size() > k_named ? k_named - 1 : k_named;  // never "and 1 more"
    parts.push_back(cat(join_first(titles, named), titles.size() > 1 ? ": each " : " ", why));
  }
  return join(parts, "; ");
}

/// Where a node has no profile at all, the flavor was likely not meant to choose.
std::string advice(const ServerWish& wish, const Objections& all) {
  const bool unmarked =
      std::any_of(all.begin(), all.end(), [](const auto& one) { return one.first.starts_with(k_no_profile); });
  if (wish.any_flavor() || !unmarked) return "";
  return cat(". A node is of that flavor with `hearth node set NODE --capability profile:", wish.flavor,
             "` (in a site file: profile: ", wish.flavor, "); flavor baremetal takes any node");
}

void choose_for(const ServerWish& wish, const std::vector<const Json*>& order, std::set<std::string>& taken,
                Choice& choice) {
  Objections objections;
  Objections busy_ones;
  for (const Json* node : order) {
    bool busy = false;
    const std::string why = objection(wish, *node, taken, busy);
    if (why.empty()) {
      choice.nodes[wish.id] = text_in(*node, "uuid");
      taken.insert(text_in(*node, "uuid"));
      return;
    }
    object(busy ? busy_ones : objections, why, node_title(*node));
  }
  if (!busy_ones.empty()) {
    choice.waits[wish.id] = objections_text(busy_ones);
    return;
  }
  const std::string what = wish.any_flavor() ? "" : cat(" of flavor ", wish.flavor);
  choice.refused[wish.id] =
      cat("no node", what, " for server ", wish.name, ": ",
          objections.empty() ? "there are no nodes" : objections_text(objections), advice(wish, objections));
}

}  // namespace

std::string node_title(const Json& node) { return text_in(node, "name", text_in(node, "uuid")); }

std::string image_of(const Json& server, const std::string& fallback) {
  const Json properties = server.value("properties", Json::object());
  return text_in(properties, "image", fallback);
}

Choice choose_nodes(const Json& servers, const Json& nodes) {
  Choice choice;
  std::set<std::string> taken;
  std::vector<ServerWish> wishes;
  for (const Json& server : servers) {
    const ServerWish wish = server_wish(server);
    const auto own = std::find_if(nodes.begin(), nodes.end(),
                                  [&](const Json& node) { return text_in(node, "instance_uuid") == wish.id; });
    if (own == nodes.end()) {
      wishes.push_back(wish);
    } else {
      choice.nodes[wish.id] = text_in(*own, "uuid");
      taken.insert(text_in(*own, "uuid"));
    }
  }
  std::stable_sort(wishes.begin(), wishes.end(),
                   [](const ServerWish& a, const ServerWish& b) { return a.rank() < b.rank(); });
  const std::vector<const Json*> order = in_order(nodes);
  for (const ServerWish& wish : wishes) choose_for(wish, order, taken, choice);
  return choice;
}

}  // namespace hearth::bootstrap
