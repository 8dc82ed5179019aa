// One value in, one word out: whatever is taken as kernel arguments or as a URL stands in each of the three scripts as
// it is, and changes nothing else in it.
#include "base/text.hpp"
#include "pxe/boot/answer.hpp"
#include "tests/fuzz/check.hpp"

namespace {

using namespace hearth::pxe;

std::vector<std::string> scripts(const KernelArguments& arguments, const BootSource& kernel) {
  Site site;
  Node node{.id = "1", .name = "one", .macs = {Mac{{0x52, 0x54, 0, 0, 0, 1}}}};
  node.state = BootState::deploy;
  node.profile = Profile{kernel, "", arguments};
  const BootPlan plan = plan_for(site, std::make_shared<const Node>(node));
  return {ipxe_script(site, plan, node.macs[0], Ipv4{0xc0000201}), pxelinux_config(site, plan, {}),
          grub_config(site, plan, {})};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(hearth::fuzz::text_of(data, size));
  if (const auto arguments = KernelArguments::parse(text)) {
    hearth::fuzz::check(arguments->text().find_first_of("\n\r\t${}&|;#\\'`()<>*?!") == std::string::npos);
    const std::vector<std::string> plain = scripts("harmless", "/k");
    const std::vector<std::string> with = scripts(*arguments, "/k");
    for (std::size_t at = 0; at < with.size(); ++at)
      hearth::fuzz::check(with[at] == hearth::replace_all(plain[at], "harmless", arguments->text()));
  }
  const auto source = BootSource::parse(text);
  if (source && source->is_url()) {
    hearth::fuzz::check(source->text().find_first_of(" \n\r\t${}|;#\\'\"`()<>") == std::string::npos);
    const std::string script = scripts("quiet", *source)[0];
    hearth::fuzz::check(
        script == hearth::replace_all(scripts("quiet", "http://harmless/")[0], "http://harmless/", source->text()));
  }
  return 0;
}
