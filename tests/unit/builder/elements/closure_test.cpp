#include "builder/elements/closure.hpp"

#include <gmock/gmock.h>

#include <random>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using fakes::MemoryFileSystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ClosureTest : public testing::Test {
 protected:
  ClosureTest() { tree.add("os", "", "operating-system"); }
  std::string refusal(const Names& requested) {
    return story_of([&] { return tree.close(requested); });
  }
  MemoryFileSystem files;
  ElementTree tree{files};
};

/// What upstream's own cases hold: a set of elements, a request, and the set or the words of the refusal.
struct Case {
  std::string name;
  Names requested;
  Names expected;       ///< in our order; empty = refused
  std::string refusal;  ///< part of what is said
};

/// The elements of the cases. "fake" and "virtual" are names of no element.
void add_case_elements(ElementTree& tree) {
  tree.add("requires_foo", "foo").add("foo").add("requires_requires_foo", "requires_foo");
  tree.add("self", "self").add("circular1", "circular2", "operating-system").add("circular2", "circular1");
  tree.add("missing", "fake").add("provides_virtual", "", "virtual").add("requires_virtual", "virtual");
  tree.add("provides_virtual_too", "", "virtual")
      .add("replaces_foo", "", "foo")
      .add("needs_both", "requires_foo replaces_foo");
}

class UpstreamClosureCases : public testing::TestWithParam<Case> {};

TEST_P(UpstreamClosureCases, GiveTheSetOrTheRefusal) {
  MemoryFileSystem files;
  ElementTree tree(files);
  tree.add("os", "", "operating-system");
  add_case_elements(tree);
  const Case& given = GetParam();
  if (given.expected.empty()) {
    EXPECT_THAT(story_of([&] { return tree.close(given.requested); }), HasSubstr(given.refusal));
  } else {
    EXPECT_EQ(tree.close(given.requested).names(), given.expected);
  }
}

INSTANTIATE_TEST_SUITE_P(
    ElementDependencies, UpstreamClosureCases,
    testing::Values(
        Case{"NoDependency", {"foo", "os"}, {"foo", "os"}, ""},
        Case{"OneDependency", {"requires_foo", "os"}, {"foo", "os", "requires_foo"}, ""},
        Case{"TransitiveDependency",
             {"requires_requires_foo", "os"},
             {"foo", "os", "requires_foo", "requires_requires_foo"},
             ""},
        Case{"DependencyListedToo", {"foo", "requires_foo", "os"}, {"foo", "os", "requires_foo"}, ""},
        Case{"MissingElement", {"fake", "os"}, {}, "Element 'fake' not found"},
        Case{"MissingDependency", {"missing", "os"}, {}, "Element 'fake' not found (missing depends on it)"},
        Case{"SelfDependency", {"self", "os"}, {"os", "self"}, ""},
        Case{"Circle", {"circular1"}, {"circular2", "circular1"}, ""},
        Case{"CircleFromTheOtherEnd", {"circular2"}, {"circular2", "circular1"}, ""},
        Case{"VirtualProvidedAfterItsUser",
             {"requires_virtual", "provides_virtual", "os"},
             {"os", "provides_virtual", "requires_virtual"},
             ""},
        Case{"VirtualProvidedBeforeItsUser",
             {"provides_virtual", "requires_virtual", "os"},
             {"os", "provides_virtual", "requires_virtual"},
             ""},
        Case{"VirtualListedWithItsProvider",
             {"virtual", "provides_virtual", "os"},
             {},
             "virtual : already provided by ['provides_virtual']"},
        Case{"TwoProviders",
             {"provides_virtual", "provides_virtual_too", "os"},
             {},
             "virtual: already provided by ['provides_virtual']"},
        Case{"NoOperatingSystem", {"foo"}, {}, "Please include an operating system element"},
        Case{"OperatingSystemListedWithItsProvider",
             {"circular1", "operating-system"},
             {},
             "operating-system : already provided by ['circular1']"},
        Case{"OperatingSystemListedAlone", {"operating-system"}, {}, "Please include an operating system element"},
        Case{"VirtualWithoutProvider", {"requires_virtual", "os"}, {}, "provides_virtual provides_virtual_too"},
        Case{"RealElementReplaced", {"needs_both", "os"}, {"replaces_foo", "requires_foo", "needs_both", "os"}, ""},
        Case{"RealElementListedWithItsReplacement",
             {"foo", "replaces_foo", "os"},
             {},
             "foo : already provided by ['replaces_foo']"}),
    [](const auto& one) { return one.param.name; });

TEST_F(ClosureTest, ACommentInElementDepsIsToldAsOne) {
  tree.add("shop").add("install-static").add("os", "", "operating-system");
  const auto story = [&](const std::string& deps) {
    tree.file("shop", "element-deps", deps);
    return story_of([&] { return tree.close({"shop", "os"}); });
  };
  EXPECT_THAT(
      story("install-static # files\n"),
      testing::AllOf(HasSubstr("element-deps of shop knows no comments, and has the line 'install-static # files'"),
                     HasSubstr("Write 'install-static' alone.")));
  EXPECT_THAT(story("# what it takes\n"), HasSubstr("Take the line out."));
  EXPECT_THAT(story("instal-static # files\n"),
              HasSubstr("(shop depends on it); element-deps knows no comments; did you mean 'install-static'?"));
}

TEST_F(ClosureTest, ADependencyComesBeforeWhatNeedsItAndTiesAreInOrderOfNames) {
  tree.add("a", "z m").add("m").add("z", "y").add("y");
  EXPECT_THAT(tree.close({"a", "os"}).names(), ElementsAre("m", "y", "z", "a", "os"));
}

/// Upstream's built-in elements behind debian-minimal and vm, as its tree has them.
void add_upstream_elements(ElementTree& tree) {
  tree.add("debian-minimal", "debootstrap pkg-map", "operating-system")
      .add("debootstrap", "dpkg modprobe pkg-map sysprep");
  tree.add("dpkg", "install-bin manifests package-installs").add("package-installs", "install-bin pkg-map");
  tree.add("install-bin")
      .add("manifests")
      .add("modprobe")
      .add("pkg-map")
      .add("sysprep")
      .add("vm", "block-device bootloader");
  tree.add("bootloader", "package-installs").add("zipl", "package-installs", "bootloader");
  tree.add("block-device-mbr", "", "block-device").add("block-device-efi", "", "block-device");
  tree.add("base", "dib-init-system install-types pkg-map").add("dib-init-system").add("install-types");
}

TEST_F(ClosureTest, DebianMinimalAloneExpandsAsUpstreamDoes) {
  add_upstream_elements(tree);
  Names names = tree.close({"debian-minimal"}).names();
  std::sort(names.begin(), names.end());
  EXPECT_THAT(names, ElementsAre("debian-minimal", "debootstrap", "dpkg", "install-bin", "manifests", "modprobe",
                                 "package-installs", "pkg-map", "sysprep"));
}

TEST_F(ClosureTest, NoOrderOfTheRequestChangesTheOrderOfTheSet) {
  add_upstream_elements(tree);
  tree.add("loop1", "loop2").add("loop2", "loop3").add("loop3", "loop1");
  Names request = {"vm", "zipl", "base", "debian-minimal", "block-device-efi", "loop2", "loop1"};
  const ElementSet first = tree.close(request);
  EXPECT_FALSE(first.contains("bootloader"));  // zipl provides it
  std::mt19937 random(7);                      // NOLINT(cert-msc51-cpp): the same orders in every run
  for (int i = 0; i < 200; ++i) {
    std::shuffle(request.begin(), request.end(), random);
    const ElementSet shuffled = tree.close(request);
    ASSERT_EQ(shuffled.names(), first.names()) << join(request, " ");
    ASSERT_EQ(shuffled.cycles, first.cycles) << join(request, " ");
  }
}

TEST_F(ClosureTest, NoOrderOfTheRequestChangesARefusal) {
  tree.add("p1", "", "v").add("p2", "", "v").add("user", "v");
  Names request = {"os", "p1", "p2", "user"};
  const std::string first = refusal(request);
  EXPECT_THAT(first, HasSubstr("v: already provided by ['p1'], and p2 provides it too"));
  while (std::next_permutation(request.begin(), request.end())) EXPECT_EQ(refusal(request), first);
}

TEST_F(ClosureTest, AProviderDeepInTheGraphReplacesAnElementSeenEarlier) {
  tree.add("a", "plain")
      .add("plain", "baggage")
      .add("baggage")
      .add("b", "c")
      .add("c", "special")
      .add("special", "", "plain");
  EXPECT_THAT(tree.close({"a", "b", "os"}).names(), ElementsAre("special", "a", "c", "b", "os"));
}

TEST_F(ClosureTest, WhatAReplacedElementBroughtInProvidesNothing) {
  tree.add("a", "plain").add("plain", "baggage").add("baggage", "", "tool").add("tool");
  tree.add("b", "special").add("special", "", "plain").add("c", "tool");
  EXPECT_THAT(tree.close({"a", "b", "c", "os"}).names(), ElementsAre("special", "a", "b", "tool", "c", "os"));
}

TEST_F(ClosureTest, AReplacedElementDoesNotClashWithItsReplacement) {
  tree.add("a", "plain").add("plain", "", "v").add("b", "special").add("special", "", "plain v");
  EXPECT_THAT(tree.close({"a", "b", "os"}).names(), ElementsAre("special", "a", "b", "os"));
}

TEST_F(ClosureTest, AnElementThatProvidesItselfStays) {
  tree.add("a", "self").add("self", "", "self");
  EXPECT_THAT(tree.close({"a", "os"}).names(), ElementsAre("self", "a", "os"));
  EXPECT_THAT(tree.close({"self", "os"}).names(), ElementsAre("os", "self"));
}

TEST_F(ClosureTest, AnElementReplacedByWhatOnlyItBringsInIsRefusedAndTheWayOutWorks) {
  tree.add("a", "plain").add("plain", "special").add("special", "", "plain");
  EXPECT_THAT(refusal({"a", "os"}), AllOf(HasSubstr("plain is provided by an element that only it brings in"),
                                          HasSubstr("List the element that provides it")));
  EXPECT_THAT(tree.close({"a", "special", "os"}).names(), ElementsAre("special", "a", "os"));
}

TEST_F(ClosureTest, CyclesAreReportedOnceEachFromTheirFirstName) {
  tree.add("a", "b").add("b", "c").add("c", "a").add("me", "me");
  const ElementSet set = tree.close({"c", "me", "os"});
  ASSERT_EQ(set.cycles.size(), 2U);
  EXPECT_EQ(describe_cycle(set.cycles[0]), "a -> b -> c -> a");
  EXPECT_EQ(describe_cycle(set.cycles[1]), "me -> me");
  EXPECT_THAT(set.names(), ElementsAre("c", "b", "a", "me", "os"));
}

TEST_F(ClosureTest, ADiamondIsNoCycle) {
  tree.add("top", "left right").add("left", "bottom").add("right", "bottom").add("bottom");
  EXPECT_THAT(tree.close({"top", "os"}).cycles, IsEmpty());
}

TEST_F(ClosureTest, ACycleThroughAProvidedNameIsOne) {
  tree.add("a", "v").add("p", "a", "v");
  const ElementSet set = tree.close({"a", "p", "os"});
  ASSERT_EQ(set.cycles.size(), 1U);
  EXPECT_EQ(describe_cycle(set.cycles[0]), "a -> p -> a");
}

TEST_F(ClosureTest, AnElementMayBeListedTwiceThatProvidesNothing) {
  tree.add("foo").add("self", "", "self");
  EXPECT_THAT(tree.close({"foo", "os", "foo"}).names(), ElementsAre("foo", "os"));
  EXPECT_THAT(tree.close({"self", "os", "self"}).names(), ElementsAre("os", "self"));
  EXPECT_THAT(refusal({"os", "foo", "os"}),
              AllOf(HasSubstr("operating-system: already provided by ['os']"), HasSubstr("List it once.")));
}

TEST_F(ClosureTest, AnUnknownElementIsToldWithItsNearestNameAndTheSearchPath) {
  tree.add("debian-minimal");
  EXPECT_THAT(refusal({"debian-minmal", "os"}),
              AllOf(HasSubstr("did you mean 'debian-minimal'?"), HasSubstr("Searched: /elements")));
}

TEST_F(ClosureTest, AnUnmetVirtualNameIsToldWithItsProviders) {
  tree.add("vm", "block-device").add("bd-mbr", "", "block-device").add("bd-gpt", "", "block-device");
  EXPECT_THAT(refusal({"vm", "os"}),
              AllOf(HasSubstr("vm depends on 'block-device'"), HasSubstr("Add one of: bd-gpt bd-mbr")));
}

TEST_F(ClosureTest, WithoutAnOperatingSystemTheKnownOnesAreTold) {
  tree.add("a");
  EXPECT_THAT(refusal({"a"}), HasSubstr("Known ones: os"));
}

TEST_F(ClosureTest, ADependencyOnOperatingSystemIsMetByWhateverProvidesIt) {
  tree.add("a", "operating-system");
  EXPECT_THAT(tree.close({"a", "os"}).names(), ElementsAre("os", "a"));
}

TEST_F(ClosureTest, TheSetFindsItsElements) {
  const ElementSet set = tree.close({"os"});
  ASSERT_TRUE(set.contains("os"));
  EXPECT_EQ(set.find("os")->path, "/elements/os");
  EXPECT_FALSE(set.contains("other"));
}

}  // namespace
}  // namespace hearth::builder
