#include "bootstrap/site/site_questions.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "bootstrap/inventory/drivers.hpp"
#include "bootstrap/node/node.hpp"
#include "pxe/net/address.hpp"

namespace hearth::bootstrap {

namespace {

/// Why an answer can't be; empty when it can.
using Check = std::function<std::string(const std::string& answer)>;

std::string any_answer(const std::string&) { return ""; }

class Interview {
 public:
  Interview(SiteDraft& draft, const Ask& ask, const Say& say) : draft_(draft), ask_(ask), say_(say) {}

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
    return address && subnet && subnet->contains(*address) ? "" : cat("'", text, "' is no address in ", draft_.subnet);
  }
  [[nodiscard]] std::string pool_fault(const std::string& text) const {
    const std::size_t dash = text.find('-');
    if (dash == std::string::npos) return "FIRST-LAST is expected";
    const std::string first = address_fault(text.substr(0, dash));
    return first.empty() ? address_fault(text.substr(dash + 1)) : first;
  }
  [[nodiscard]] Check optional_address() const {
    return [this](const std::string& text) { return text.empty() ? "" : address_fault(text); };
  }

  void ask_network() {
    fill(draft_.subnet, "the provisioning network (192.0.2.0/24 or the like)", "",
         [](const std::string& text) { return pxe::parse_subnet(text) ? "" : cat("'", text, "' is no network"); });
    fill(draft_.seed, "the seed's address in it", usual_seed(draft_.subnet),
         [this](const std::string& text) { return address_fault(text); });
    fill(draft_.pool, "addresses for machines", usual_pool(draft_.subnet),
         [this](const std::string& text) { return pool_fault(text); });
    fill(draft_.router, "the network's router; nothing for none", "", optional_address());
    fill(draft_.interface, "the seed's card in this network (eth1); nothing if it is a virtual machine", "",
         any_answer);
  }

  static std::string driver_fault(const std::string& type) {
    if (type.empty() || driver_of(type) != nullptr) return "";
    std::vector<std::string> names;
    for (const DriverRow& row : driver_table()) names.emplace_back(row.driver);
    const std::optional<std::string> near = nearest(type, names);
    return cat("there is no driver ", type,
               near ? cat("; did you mean ", *near, "?") : cat(", but ", join(names, ", ")));
  }

  void ask_machines() {
    if (draft_.bmc.empty()) {
      const std::string type =
          answer("the kind of the machines' BMCs (hearth node drivers; - for none, to rehearse only)", "redfish",
                 [](const std::string& text) { return text == "-" ? "" : driver_fault(text); });
      if (type != "-") {
        draft_.bmc["type"] = type;
        if (!driver_of(type)->mandatory.empty()) {
          draft_.bmc["user"] = answer("their user", "admin", any_answer);
          draft_.bmc["password"] = answer("their password", "", any_answer, true);
        }
      }
    }
    while (true) {
      const std::string name =
          answer(cat("the name of machine ", draft_.machines.size() + 1, "; nothing at the end"), "", any_answer);
      if (name.empty()) return;
      ask_machine(name);
    }
  }

  void ask_machine(const std::string& name) {
    Json machine = {{"name", name}};
    machine["mac"] = answer("  the MAC address of the card that it boots from", "", [](const std::string& text) {
      const std::optional<pxe::Mac> mac = pxe::parse_mac(text);
      return mac && pxe::is_unicast(*mac) ? "" : cat("'", text, "' is no machine's address");
    });
    machine["firmware"] = answer("  its firmware, uefi or bios", "uefi", [](const std::string& text) {
      return text == "uefi" || text == "bios" ? "" : "uefi or bios is expected";
    });
    const std::string profile = answer("  its profile (control, compute …); nothing for any", "", any_answer);
    if (!profile.empty()) machine["profile"] = profile;
    const std::string address = answer("  its own address; nothing for one of the pool", "", optional_address());
    if (!address.empty()) machine["address"] = address;
    if (const DriverRow* row = driver_of(text_in(draft_.bmc, "type")); row != nullptr && !row->mandatory.empty()) {
      Json bmc = Json::object();
      bmc["address"] = answer("  the address of its BMC", "", [](const std::string& text) {
        return text.empty() ? "an address or URL is expected" : "";
      });
      if (row->driver == "redfish") bmc["system"] = answer("  its system there", "/redfish/v1/Systems/1", any_answer);
      machine["bmc"] = bmc;
    }
    draft_.machines.push_back(machine);
  }

  SiteDraft& draft_;
  const Ask& ask_;
  const Say& say_;
  int questions_ = 0;  ///< but for those about BMCs and machines, of which nobody knows the number
  int asked_ = 0;
};

}  // namespace

void ask_for_site(SiteDraft& draft, const Ask& ask, const Say& say) { Interview(draft, ask, say).run(); }

std::vector<std::string> fill_site(SiteDraft& draft) {
  std::vector<std::string> missing;
  if (draft.subnet.empty()) missing.emplace_back("--subnet 192.0.2.0/24: the provisioning network");
  if (draft.seed.empty()) draft.seed = usual_seed(draft.subnet);
  if (draft.pool.empty()) draft.pool = usual_pool(draft.subnet);
  return missing;
}

}  // namespace hearth::bootstrap
