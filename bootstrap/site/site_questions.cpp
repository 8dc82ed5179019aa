#include "bootstrap/site/site_questions.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "bootstrap/inventory/drivers.hpp"
#include "bootstrap/node/node.hpp"
#include "bootstrap/site/site_file.hpp"
#include "pxe/net/address.hpp"

namespace hearth::bootstrap {

namespace {

/// Why an answer can't be; empty when it can.
using Check = std::function<std::string(const std::string& answer)>;

std::string any_answer(const std::string&) { return ""; }

class Interview {
 public:
  Interview(SiteDraft& draft, const Ask& ask, const Say& say, int asked)
      : draft_(draft), ask_(ask), say_(say), questions_(asked), asked_(asked) {}

  void run() {
    for (const std::string* field :
         {&draft_.subnet, &draft_.seed, &draft_.pool, &draft_.router, &draft_.interface, &draft_.template_file})
      questions_ += field->empty() ? 1 : 0;
    ++questions_;  // the image, which has a name by itself
    ask_network();
    fill(draft_.image, "the image that machines get on their disks", draft_.image, any_answer);
    fill(draft_.template_file, "the stack's template (Heat); nothing for none yet", "", any_answer);
    if (draft_.machines.empty()) ask_machines();
  }

 private:
  std::string answer(const std::string& question, const std::string& usual, const Check& check, bool hidden = false) {
    while (true) {
      const std::optional<std::string> said = ask_(question, usual, hidden);
      if (!said)
        throw Error(ErrorKind::usage, "the answers ended; nothing is written").hint("options answer, too: --help");
      const std::string text = trim(*said).empty() ? usual : std::string(trim(*said));
      const std::string fault = check(text);
      if (fault.empty()) return text;
      say_(cat("  ", fault));
    }
  }
  void fill(std::string& field, const std::string& question, const std::string& usual, const Check& check) {
    if (!field.empty() && field != usual) return;
    questions_ = std::max(questions_, ++asked_);  // more where what was given is what is usual in the network
    field = answer(cat("(", asked_, " of ", questions_, ") ", question), usual, check);
  }

  [[nodiscard]] std::string address_fault(const std::string& text) const {
    const std::optional<pxe::Ipv4> address = pxe::parse_ipv4(text);
    const std::optional<pxe::Subnet> subnet = pxe::parse_subnet(draft_.subnet);
    if (!address || !subnet || !subnet->contains(*address)) return cat("'", text, "' is no address in ", draft_.subnet);
    const bool is_end = *address == subnet->network || *address == subnet->broadcast();
    return is_end ? cat("'", text, "' is the network's first or last address, which no machine can have") : "";
  }
  [[nodiscard]] std::string pool_fault(const std::string& text) const {
    const std::size_t dash = text.find('-');
    if (dash == std::string::npos) return "FIRST-LAST is expected";
    const std::string first = address_fault(text.substr(0, dash));
    const std::string last = address_fault(text.substr(dash + 1));
    return !first.empty() ? first : !last.empty() ? last : order_fault(text);
  }
  [[nodiscard]] bool holds_seed(const std::string& pool) const {
    const std::optional<pxe::Ipv4> seed = pxe::parse_ipv4(draft_.seed);
    const std::optional<pxe::Ipv4> first = pxe::parse_ipv4(pool.substr(0, pool.find('-')));
    const std::optional<pxe::Ipv4> last = pxe::parse_ipv4(pool.substr(pool.find('-') + 1));
    return seed && first && last && *first <= *seed && *seed <= *last;
  }
  [[nodiscard]] Check optional_address() const {
    return [this](const std::string& text) { return text.empty() ? "" : address_fault(text); };
  }

  void ask_network() {
    fill(draft_.subnet, "the provisioning network (192.0.2.0/24 or the like)", "",
         [](const std::string& text) { return pxe::parse_subnet(text) ? "" : cat("'", text, "' is no network"); });
    fill(draft_.seed, "the seed's address in it", usual_seed(draft_.subnet),
         [this](const std::string& text) { return address_fault(text); });
    fill(draft_.pool, "addresses for machines", usual_pool(draft_.subnet), [this](const std::string& text) {
      const std::string fault = pool_fault(text);
      return fault.empty() && holds_seed(text) ? cat("'", text, "' holds the seed's own address") : fault;
    });
    fill(draft_.router, "the network's router; nothing for none", "", optional_address());
    fill(draft_.interface, "the seed's card in this network (eth1); nothing if it is a virtual machine", "",
         any_answer);
  }

  static std::string driver_fault(const std::string& type) {
    if (type.empty() || driver_of(type) != nullptr) return "";
    std::vector<std::string> names;
    for (const DriverRow& row : driver_table()) {
      if (row.supported) names.emplace_back(row.driver);
    }
    const std::optional<std::string> near = nearest(type, names);
    return cat("there is no driver ", type,
               near ? cat("; did you mean ", *near, "?") : cat(", but ", join(names, ", ")));
  }

  void ask_bmcs() {
    const std::string type =
        answer("(BMCs, 1 of 3) the kind of the machines' BMCs (hearth node drivers; - for none, to rehearse only)",
               "redfish", [](const std::string& text) { return text == "-" ? "" : driver_fault(text); });
    if (type == "-") return;
    draft_.bmc["type"] = type;
    if (driver_of(type)->mandatory.empty()) return;
    draft_.bmc["user"] = answer("(BMCs, 2 of 3) their user", "admin", any_answer);
    draft_.bmc["password"] = answer("(BMCs, 3 of 3) their password", "", any_answer, true);
  }

  void ask_machines() {
    if (draft_.bmc.empty()) ask_bmcs();
    while (ask_machine()) {
    }
  }

  /// The card that it boots from, its firmware and what it is for; whether there is one more.
  bool ask_machine() {
    const DriverRow* row = driver_of(text_in(draft_.bmc, "type"));
    const bool has_bmc = row != nullptr && !row->mandatory.empty();
    const int all = 5 + (has_bmc ? 1 : 0) + (has_bmc && row->driver == "redfish" ? 1 : 0);
    int next = 0;
    const auto which = [&] { return cat("(machine ", draft_.machines.size() + 1, ", ", ++next, " of ", all, ") "); };
    const std::string name = answer(which() + "its name; nothing when there is no more", "", any_answer);
    if (name.empty()) return false;
    Json machine = {{"name", name}};
    machine["mac"] =
        answer(which() + "the MAC address of the card that it boots from", "", [](const std::string& text) {
          const std::optional<pxe::Mac> mac = pxe::parse_mac(text);
          return mac && pxe::is_unicast(*mac) ? "" : cat("'", text, "' is no machine's address");
        });
    machine["firmware"] = answer(which() + "its firmware, uefi or bios", "uefi", [](const std::string& text) {
      return text == "uefi" || text == "bios" ? "" : "uefi or bios is expected";
    });
    const std::string profile = answer(which() + "its profile (control, compute …); nothing for any", "", any_answer);
    if (!profile.empty()) machine["profile"] = profile;
    const std::string address =
        answer(which() + "its own address; nothing for one of the pool", "", optional_address());
    if (!address.empty()) machine["address"] = address;
    if (has_bmc) {
      Json bmc = Json::object();
      bmc["address"] = answer(which() + "the address of its BMC", "", [&address](const std::string& text) {
        return text.empty()                          ? "an address or URL is expected"
               : !address.empty() && text == address ? "that is the machine's own; its BMC has another"
                                                     : "";
      });
      if (row->driver == "redfish")
        bmc["system"] = answer(which() + "its system there", "/redfish/v1/Systems/1", any_answer);
      machine["bmc"] = bmc;
    }
    draft_.machines.push_back(machine);
    return true;
  }

  SiteDraft& draft_;
  const Ask& ask_;
  const Say& say_;
  int questions_;  ///< but for those about BMCs and machines, which have numbers of their own
  int asked_;
};

}  // namespace

void ask_for_site(SiteDraft& draft, const Ask& ask, const Say& say, int asked) {
  Interview(draft, ask, say, asked).run();
}

std::vector<std::string> fill_site(SiteDraft& draft) {
  std::vector<std::string> missing;
  if (draft.subnet.empty()) missing.emplace_back("--subnet 192.0.2.0/24: the provisioning network");
  if (draft.seed.empty()) draft.seed = usual_seed(draft.subnet);
  if (draft.pool.empty()) draft.pool = usual_pool(draft.subnet);
  return missing;
}

}  // namespace hearth::bootstrap
