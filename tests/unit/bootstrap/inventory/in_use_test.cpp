#include "bootstrap/inventory/in_use.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "bootstrap/inventory/draft.hpp"

namespace hearth::bootstrap {
namespace {

/// What an import is told of the only machine of a file.
std::string use_in(std::string_view text) {
  const auto entries = read_listing(text, "inv");
  if (!entries) return entries.error().text();
  const Drafts drafts = draft_nodes(*entries);
  EXPECT_TRUE(drafts.good()) << faults_text(drafts.faults, *entries, "inv");
  return drafts.nodes.empty() ? "nothing" : drafts.nodes[0].in_use;
}

std::string host(const std::string& spec, const std::string& annotations = "{}") {
  return cat("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {name: w1, annotations: ", annotations,
             "}\nspec: {online: true, bootMACAddress: \"52:54:00:00:00:01\"", spec, "}\n");
}

TEST(InUse, a_host_of_metal3_as_it_stands_in_git) {
  EXPECT_EQ(use_in(host("")), "");
  EXPECT_EQ(use_in(host(", externallyProvisioned: false, image: {}")), "");
  EXPECT_EQ(use_in(host(", externallyProvisioned: true")), "spec.externallyProvisioned");
  EXPECT_EQ(use_in(host(", consumerRef: {kind: Metal3Machine, name: cp-0}")), "spec.consumerRef cp-0");
  EXPECT_EQ(use_in(host(", image: {url: \"http://u:p@h/x\"}")), "spec.image") << "a URL may hold a password";
  EXPECT_EQ(use_in(host(", customDeploy: {method: install_coreos}")), "spec.customDeploy");
  EXPECT_EQ(use_in(host("", R"({baremetalhost.metal3.io/detached: ""})")),
            "the annotation baremetalhost.metal3.io/detached");
  EXPECT_EQ(use_in(host("", R"({baremetalhost.metal3.io/status: '{"provisioning": {"state": "provisioned"}}'})")),
            "the annotation baremetalhost.metal3.io/status, provisioned,");
}

TEST(InUse, a_state_of_metal3_that_nobody_knows_is_in_use) {
  for (const auto& [state, said] :
       {std::pair{"inspecting", ""}, std::pair{"ready", ""},
        std::pair{"powering off before delete", "status.provisioning.state powering off before delete"},
        std::pair{"servicing", "status.provisioning.state servicing"}})
    EXPECT_EQ(use_in(host("") + cat("status: {provisioning: {state: ", state, "}}\n")), said);
}

TEST(InUse, hardware_of_tinkerbell) {
  const auto hardware = [](const std::string& metadata, const std::string& spec) {
    return cat("apiVersion: tinkerbell.org/v1alpha1\nkind: Hardware\nmetadata: {name: w1", metadata, "}\nspec: {", spec,
               "}\n");
  };
  const std::string boots = "interfaces: [{dhcp: {mac: \"52:54:00:00:00:01\"}, netboot: {allowPXE: true}}]";
  EXPECT_EQ(use_in(hardware("", boots)), "");
  EXPECT_EQ(use_in(hardware(", labels: {v1alpha1.tinkerbell.org/ownerName: cp-0}", boots)),
            "the label v1alpha1.tinkerbell.org/ownerName cp-0");
  EXPECT_EQ(use_in(hardware(", annotations: {v1alpha1.tinkerbell.org/provisioned: \"true\"}", boots)),
            "the annotation v1alpha1.tinkerbell.org/provisioned");
  EXPECT_EQ(use_in(hardware("", boots + ", metadata: {state: in_use}")), "spec.metadata.state in_use");
  EXPECT_EQ(use_in(hardware("", boots + ", metadata: {instance: {state: provisioned}}")),
            "spec.metadata.instance.state provisioned");
  EXPECT_EQ(use_in(hardware("", replace_all(boots, "allowPXE: true", "allowPXE: false"))),
            "spec.interfaces[].netboot.allowPXE false");
}

TEST(InUse, nodes_of_ironic_as_they_are_shown) {
  const auto node = [](const std::string& more) {
    return cat(R"({"nodes": [{"name": "w1", "driver": "ipmi", "driver_info": {"ipmi_address": "192.0.2.5"},
                  "ports": [{"address": "52:54:00:00:00:01"}])",
               more, "}]}");
  };
  EXPECT_EQ(use_in(node("")), "");
  EXPECT_EQ(use_in(node(R"(, "provision_state": "available", "target_provision_state": null, "instance_uuid": null)")),
            "");
  EXPECT_EQ(use_in(node(R"(, "provision_state": "active")")), "provision_state active");
  EXPECT_EQ(use_in(node(R"(, "provision_state": "clean wait", "target_provision_state": "available")")), "");
  EXPECT_EQ(use_in(node(R"(, "instance_uuid": "5a8f0a4e-95c6-4d08-9c6c-2e2c4f0a1d11")")),
            "instance_uuid 5a8f0a4e-95c6-4d08-9c6c-2e2c4f0a1d11");
  EXPECT_EQ(use_in(node(R"(, "protected": true)")), "protected true");
  EXPECT_EQ(use_in(R"({"w1": {"driver": "ipmi", "driver_info": {"ipmi_address": "192.0.2.5"},
                       "nics": [{"mac": "52:54:00:00:00:01"}], "provision_state": "active"}})"),
            "provision_state active")
      << "bifrost's";
}

}  // namespace
}  // namespace hearth::bootstrap
