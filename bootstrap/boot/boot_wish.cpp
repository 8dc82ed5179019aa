#include "bootstrap/boot/boot_wish.hpp"

#include "base/check.hpp"
#include "base/text.hpp"
#include "bootstrap/conductor/flow.hpp"

namespace hearth::bootstrap {

namespace {

pxe::BootState state_of(const Node& node) {
  if (!node.job.running() || !node.job.stage)
    return node.state == State::rescue ? pxe::BootState::rescue : pxe::BootState::local;
  if (!boots_ramdisk(*node.job.stage)) return pxe::BootState::local;
  if (node.job.kind == JobKind::inspect) return pxe::BootState::inspect;
  return node.job.kind == JobKind::rescue ? pxe::BootState::rescue : pxe::BootState::deploy;
}

}  // namespace

std::string resolved_image(const std::string& word, const char* part, const ImageBook& images) {
  if (word.empty() || word.find('/') != std::string::npos) return word;
  const std::optional<Json> image = images(word);
  return image ? text_in(*image, part) : "";
}

std::string AgentFace::words() const {
  return cat("ipa-api-url=", url, pin.empty() ? "" : cat(" hearth-api-pin=", pin, " ipa-insecure=1"));
}

pxe::Node boot_wish(const Node& node, const AgentFace& conductor, const ImageBook& images) {
  pxe::Node wish;
  wish.id = node.uuid;
  wish.name = node.title();
  for (const Port& port : node.ports) {
    const std::optional<pxe::Mac> mac = pxe::parse_mac(port.address);
    if (mac && port.pxe_enabled) wish.macs.push_back(*mac);
  }
  const Json seed = node.extra.value("x_seed", Json::object());
  wish.address = pxe::parse_ipv4(text_in(seed, "ipv4_address", text_in(seed, "address")));
  wish.state = state_of(node);
  if (!pxe::is_boot_name(wish.name)) wish.name = node.uuid;
  wish.secure_boot = node.capability("secure_boot").value_or("") == "true";
  if (wish.state == pxe::BootState::local) return wish;
  const std::string prefix = wish.state == pxe::BootState::rescue ? "rescue_" : "deploy_";
  const auto kernel = pxe::BootSource::parse(resolved_image(node.info(prefix + "kernel"), "kernel", images));
  const auto ramdisk = pxe::BootSource::parse(resolved_image(node.info(prefix + "ramdisk"), "ramdisk", images));
  std::string append = conductor.words();
  if (wish.state == pxe::BootState::inspect)
    append += cat(" ipa-inspection-callback-url=", conductor.url, "/v1/continue_inspection");
  if (const std::string more = node.info("kernel_append_params"); !more.empty()) append += cat(" ", more);
  const auto arguments = pxe::KernelArguments::parse(append);
  if (!kernel || !ramdisk || !arguments) {  // kept by a version that did not ask
    wish.state = pxe::BootState::hold;
  } else if (kernel->empty()) {
    wish.append = *arguments;  // the site's own profile for this state, with our words
  } else {
    wish.profile = pxe::Profile{*kernel, *ramdisk, *arguments};
  }
  check(wish.state == pxe::BootState::hold || wish.profile || !wish.append.empty(),
        "a machine that boots a ramdisk is told who has its orders", "node", node.uuid);
  return wish;
}

}  // namespace hearth::bootstrap
