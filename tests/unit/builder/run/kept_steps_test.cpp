#include "builder/run/kept_steps.hpp"

#include <gtest/gtest.h>

namespace hearth::builder {
namespace {

TEST(KeptSteps, StepsOfOneReasonAreToldTogether) {
  EXPECT_EQ(kept_steps_text({{"root.d/10-a", true, ""},
                             {"install.d/20-b", false, "the variable A has another value"},
                             {"install.d/30-c", false, "it comes after install.d/20-b, which runs"},
                             {"install.d/40-d", false, "it comes after install.d/20-b, which runs"},
                             {"cleanup.d/50-e", false, "steps of its phase always run"}}),
            "From layers: 1 of 5 steps\n"
            "  runs: install.d/20-b: the variable A has another value\n"
            "  runs: install.d/30-c to install.d/40-d: it comes after install.d/20-b, which runs\n"
            "  runs: cleanup.d/50-e: steps of its phase always run\n");
  EXPECT_EQ(kept_steps_text({{"root.d/10-a", true, ""}}), "From layers: 1 of 1 steps\n");
}

TEST(KeptSteps, AnImageThatIsUpToDateNamesTheServersThatABuildWouldAskFirst) {
  EXPECT_EQ(up_to_date_text({.outputs = {"/srv/web.tar"},
                             .faults = {"/srv/web.d/sbom.spdx.json is not there"},
                             .servers = {"http://mirror.example/dists/bookworm/InRelease"}}),
            "Up to date, nothing would run: /srv/web.tar\n"
            "  but for evidence: /srv/web.d/sbom.spdx.json is not there\n"
            "  as long as this has not changed: http://mirror.example/dists/bookworm/InRelease\n");
  EXPECT_EQ(up_to_date_text({}), "");
}

}  // namespace
}  // namespace hearth::builder
