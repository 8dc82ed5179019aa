#include "metadata/resources/config_text.hpp"

#include <gtest/gtest.h>

#include "metadata/model/yaml_reader.hpp"

namespace hearth::metadata {
namespace {

TEST(CloudConfigText, sorts_keys_and_keeps_lists_at_their_keys) {
  const Value map = *parse_yaml("runcmd: [ls, {b: 1, a: 'yes'}]\nn: {x: [], y: null}\n", "t");
  EXPECT_EQ(cloud_config_text(map), "#cloud-config\nn:\n  x: []\n  y: null\nruncmd:\n- ls\n- a: 'yes'\n  b: 1\n");
}

TEST(MimeText, encodes_what_is_not_ascii_and_names_attachments) {
  const std::string text = mime_text({{"plain\n", "text/x-shellscript", "a.sh"}, {"é", "text/plain", ""}});
  EXPECT_NE(text.find("Content-Type: text/x-shellscript; charset=\"us-ascii\""), std::string::npos);
  EXPECT_NE(text.find("Content-Disposition: attachment; filename=\"a.sh\""), std::string::npos);
  EXPECT_NE(text.find("Content-Transfer-Encoding: base64\n\nw6k=\n"), std::string::npos);
}

}  // namespace
}  // namespace hearth::metadata
