#include "bootstrap/seed/given_forms.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap {
namespace {

TEST(GivenForms, ImagesAreTheFilesOfTheSeedOrThoseThatAreNamed) {
  const Json images = {{"images",
                        {{{"name", "site"},
                          {"file", "/s/site.qcow2"},
                          {"kernel", "/s/site.kernel"},
                          {"ramdisk", "/s/site.ramdisk"},
                          {"image_source", "http://192.0.2.1/images/site.qcow2"},
                          {"image_disk_format", "qcow2"},
                          {"image_os_hash_algo", "sha256"},
                          {"image_os_hash_value", "abc"}}}}};
  std::vector<GivenImage> found = images_to_give(images, {{"site", "/here/node.qcow2"}});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].file, "/here/node.qcow2");
  EXPECT_EQ(found[0].sha256, "abc");
  EXPECT_EQ(found[1].name, "site-kernel");
  EXPECT_EQ(found[1].file, "/s/site.kernel");
  EXPECT_EQ(found[2].format, "ari");
  found[0].id = "G";
  EXPECT_EQ(image_meant("http://192.0.2.1/images/site.qcow2", found), "G");
  EXPECT_EQ(image_meant("http://elsewhere/x", found), "");
}

TEST(GivenForms, AFileThatHasTwoNamesGoesOnceAndBothMeanIt) {
  Json one = {{"name", "node"},
              {"file", "/s/site.qcow2"},
              {"kernel", "/s/site.kernel"},
              {"ramdisk", "/s/site.ramdisk"},
              {"image_source", "http://192.0.2.1/images/site.qcow2"},
              {"image_os_hash_algo", "sha256"},
              {"image_os_hash_value", "abc"}};
  Json two = one;
  two["name"] = "site";
  std::vector<GivenImage> found = images_to_give({{"images", {one, two}}}, {{"site-kernel", "/here/kernel"}});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[1].file, "/here/kernel") << "named by either name";
  for (std::size_t i = 0; i < found.size(); ++i) found[i].id = std::to_string(i);
  for (const char* word : {"node", "site", "/s/site.qcow2", "http://192.0.2.1/images/site.qcow2"})
    EXPECT_EQ(image_meant(word, found), "0") << word;
  EXPECT_EQ(image_meant("site-kernel", found), "1");
  two["image_os_hash_value"] = "another";
  EXPECT_EQ(images_to_give({{"images", {one, two}}}, {}).size(), 4U) << "the image was another one";
}

TEST(GivenForms, WordsThatMeanNothingInTheCloudAreLeftOutAndNamed) {
  const Json node = {{"uuid", "u"},
                     {"name", "n"},
                     {"driver", "ipmi"},
                     {"driver_info", {{"deploy_kernel", "/s/k"}, {"deploy_ramdisk", "http://h/r"}}},
                     {"instance_info", {{"image_source", "http://h/i"}, {"configdrive", "x"}}}};
  const Json body = node_for_cloud(node, {}, "H");
  EXPECT_EQ(body["driver_info"], Json({{"deploy_ramdisk", "http://h/r"}}));
  EXPECT_EQ(body["instance_info"], Json({{"image_source", "http://h/i"}, {"image_type", "whole-disk"}}));
  EXPECT_EQ(body["automated_clean"], false) << "nothing is erased on the way";
  EXPECT_EQ(body["extra"], Json({{k_handover_mark, "H"}}));
  EXPECT_EQ(node_notes(node, {}).size(), 2U);
}

TEST(GivenForms, EveryStateLeadsToTheGoalByIronicsVerbs) {
  EXPECT_EQ(next_verb("enroll", "enroll"), "done");
  EXPECT_EQ(next_verb("enroll", "active"), "manage");
  EXPECT_EQ(next_verb("verifying", "active"), "");
  EXPECT_EQ(next_verb("manageable", "active"), "adopt");
  EXPECT_EQ(next_verb("adopt failed", "active"), "adopt");
  EXPECT_EQ(next_verb("manageable", "available"), "provide");
  EXPECT_EQ(next_verb("manageable", "manageable"), "done");
}

}  // namespace
}  // namespace hearth::bootstrap
