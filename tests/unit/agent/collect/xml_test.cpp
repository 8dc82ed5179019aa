#include "agent/collect/xml.hpp"

#include <gtest/gtest.h>

namespace hearth::agent {
namespace {

std::string text_of(const std::string& xml, const std::vector<std::string>& way = {}) {
  const Result<XmlElement> root = parse_xml(xml, "x");
  if (!root) return "error: " + root.error().text();
  const XmlElement* found = root->find(way);
  return found == nullptr ? "none" : found->text;
}

TEST(XmlTest, ElementsAreFoundByTheirWay) {
  EXPECT_EQ(text_of("<?xml version='1.0' encoding=\"UTF-8\"?>\n<a x='1' y=\"2\"><b/><c><d>t</d></c></a>", {"c", "d"}),
            "t");
  EXPECT_EQ(text_of("<a><b/></a>", {"c"}), "none");
}

TEST(XmlTest, ReferencesAndCdataAreText) {
  EXPECT_EQ(text_of("<a>&lt;&gt;&amp;&quot;&apos;&#65;&#xe9;<![CDATA[<&]]><!-- no --></a>"), "<>&\"'A\xc3\xa9<&");
}

TEST(XmlTest, NamespacePrefixesAreDropped) { EXPECT_EQ(text_of("<n:a xmlns:n='u'><n:b>1</n:b></n:a>", {"b"}), "1"); }

TEST(XmlTest, HostileAndBrokenTextsAreErrors) {
  for (const char* bad : {"", "{}", "<a>", "<a></b>", "<a", "<a b></a>", "<a b=c></a>", "<a>&nope;</a>", "<a>&lt</a>",
                          "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "<a><!-- </a>", "<a>&#0;</a>"}) {
    EXPECT_FALSE(parse_xml(bad, "x").ok()) << bad;
  }
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "<a>";
  EXPECT_FALSE(parse_xml(deep, "x").ok());
}

TEST(XmlTest, ErrorsGiveTheirPlace) {
  EXPECT_EQ(text_of("<a>\n<b></c></a>"), "error: x:2:7: 'b' is closed by another tag");
}

}  // namespace
}  // namespace hearth::agent
