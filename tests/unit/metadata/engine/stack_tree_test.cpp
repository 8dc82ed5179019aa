#include "metadata/engine/stack_tree.hpp"

#include <gtest/gtest.h>

namespace hearth::metadata::live {
namespace {

PlannedResource planned(const std::string& name, std::vector<std::string> needs = {}) {
  return {name, "T", Role::plain, std::move(needs), ""};
}

TEST(StackTree, FindsByPathNameAndId) {
  StackTree tree;
  tree.add_stack({"id-1", "s", "", false, {planned("a"), planned("b", {"a", "a", "nowhere", "b"})}}, k_none, 0);
  const std::size_t a = tree.find_path("a");
  const std::size_t nested = tree.add_stack({"id-2", "s-a", "", false, {planned("x")}}, a, 0);
  EXPECT_EQ(tree.find_stack("id-2"), nested);
  EXPECT_EQ(tree.find_stack("s-a"), nested);
  EXPECT_EQ(tree.resource(tree.find_path("a.x")).name, "x");
  EXPECT_EQ(tree.find_resource(nested, "x"), tree.find_path("a.x"));
  EXPECT_EQ(tree.find_path("x"), k_none);
  EXPECT_EQ(tree.resource(a).needed_by, std::vector<std::size_t>{tree.find_path("b")});
}

TEST(StackTree, ForgetsAStackWithAllThatIsInIt) {
  StackTree tree;
  tree.add_stack({"id-1", "s", "", false, {planned("a")}}, k_none, 0);
  tree.add_stack({"id-2", "s-a", "", false, {planned("x")}}, tree.find_path("a"), 0);
  tree.drop_resource(tree.find_path("a"));
  EXPECT_EQ(tree.find_path("a.x"), k_none);
  EXPECT_EQ(tree.find_stack("s-a"), k_none);
  EXPECT_TRUE(tree.root().resources.empty());
}

TEST(StackTree, ACopySharesItsRowsAndEachIsChangedAlone) {
  StackTree kept;
  kept.add_stack({"id-1", "s", "", false, {planned("a"), planned("b", {"a"}), planned("c")}}, k_none, 0);
  StackTree copy = kept;
  const std::size_t a = kept.find_path("a");
  EXPECT_EQ(&kept.resource(a), &copy.resource(a)) << "a large tree is not copied for a small step";
  ResourceRecord& own = copy.own_resource(a);
  own.reason = "changed";
  EXPECT_EQ(&copy.own_resource(a), &own) << "it stays where it is";
  copy.drop_resource(copy.find_path("b"));
  copy.add_stack({"id-2", "s-a", "", false, {planned("x")}}, a, 0);
  EXPECT_EQ(kept.resource(a).reason, "");
  EXPECT_EQ(kept.resource(a).needed_by, std::vector<std::size_t>{kept.find_path("b")});
  EXPECT_EQ(kept.resource(a).child, k_none);
  EXPECT_EQ(kept.stack(0).resources.size(), 3U);
  EXPECT_EQ(kept.find_path("a.x"), k_none);
  EXPECT_EQ(kept.find_stack("id-2"), k_none);
  EXPECT_EQ(copy.find_path("b"), k_none);
  kept.own_resource(a).reason = "another";
  EXPECT_EQ(copy.resource(a).reason, "changed");
  kept.own_resource(kept.find_path("c")).reason = "first";
  EXPECT_EQ(copy.resource(copy.find_path("c")).reason, "") << "whichever of both it was copied from";
}

TEST(StackTree, OfAThousandRowsThatCopiesShareEachIsChangedAlone) {
  StackTree kept;
  kept.add_stack({"id-1", "s", "", false, {}}, k_none, 0);
  for (int i = 0; i < 1000; ++i) kept.add_resource(0, planned(std::to_string(i)), 0);
  std::vector<StackTree> copies(3, kept);
  for (std::size_t i = 0; i < 1000; ++i) copies[i % 3].own_resource(i).reason = "changed";
  copies.push_back(copies[0]);
  for (std::size_t i = 0; i < 1000; i += 2) copies[3].drop_resource(i);
  EXPECT_EQ(copies[3].compact().size(), 1000U);
  copies[3].own_resource(499).reason = "last";
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(kept.resource(i).reason, "");
    for (std::size_t copy = 0; copy < 3; ++copy) {
      EXPECT_EQ(copies[copy].resource(i).reason, i % 3 == copy ? "changed" : "");
      EXPECT_EQ(copies[copy].resource(i).name, std::to_string(i));
    }
  }
  ASSERT_EQ(copies[3].resources().size(), 500U);
  EXPECT_EQ(copies[3].resource(150).name, "301");
  EXPECT_EQ(copies[3].resource(1).reason, "changed");
  EXPECT_EQ(copies[3].find_path("999"), 499U);
}

TEST(StackTree, TakesOutWhatWentAndFindsTheRestAsBefore) {
  StackTree tree;
  tree.add_stack({"id-1", "s", "", false, {planned("first")}}, k_none, 0);
  EXPECT_TRUE(tree.compact().empty()) << "nothing went";
  for (int i = 0; i < 100; ++i) tree.drop_resource(tree.add_resource(0, planned("old"), 0));
  const std::size_t going = tree.add_resource(0, planned("group"), 0);
  tree.add_stack({"id-2", "s-a", "", true, {planned("0")}}, going, 0);
  tree.drop_resource(going);
  const std::size_t group = tree.add_resource(0, planned("group", {"first"}), 0);
  tree.add_stack({"id-3", "s-b", "", true, {planned("0"), planned("1", {"0"})}}, group, 0);
  tree.connect(0);
  const std::vector<std::size_t> now = tree.compact();
  ASSERT_EQ(tree.resources().size(), 4U);
  ASSERT_EQ(tree.stacks().size(), 2U);
  EXPECT_EQ(now[going], k_none);
  EXPECT_EQ(now[group], tree.find_path("group"));
  const ResourceRecord& found = tree.resource(tree.find_path("group"));
  EXPECT_EQ(found.child, tree.find_stack("id-3"));
  EXPECT_EQ(tree.stack(found.child).parent_resource, tree.find_path("group"));
  EXPECT_EQ(tree.stack(found.child).resources, (std::vector{tree.find_path("group.0"), tree.find_path("group.1")}));
  EXPECT_EQ(tree.resource(tree.find_path("group.0")).needed_by, std::vector{tree.find_path("group.1")});
  EXPECT_EQ(tree.resource(tree.find_path("first")).needed_by, std::vector{tree.find_path("group")});
  EXPECT_EQ(tree.root().resources, (std::vector{tree.find_path("first"), tree.find_path("group")}));
  EXPECT_EQ(tree.find_stack("id-2"), k_none);
}

TEST(StackTree, IsTheSameAfterItWasStoredAndRestored) {
  StackTree tree;
  tree.add_stack({"id-1", "s", "", false, {planned("a"), planned("b", {"a"})}}, k_none, 0);
  tree.add_stack({"id-2", "s-a", "", true, {planned("0")}}, tree.find_path("a"), 0);
  StackTree again;
  for (StackRecord stack : tree.stacks()) {
    stack.parent = stack.parent_resource = k_none;
    stack.resources.clear();
    again.restore(stack);
  }
  for (ResourceRecord resource : tree.resources()) {
    const std::string id = tree.stack(resource.stack).id;
    resource.child = k_none;
    resource.needed_by.clear();
    again.restore(resource, id);
  }
  again.link();
  EXPECT_EQ(again.resource(again.find_path("a")).child, again.find_stack("id-2"));
  EXPECT_EQ(again.stack(1).parent_resource, again.find_path("a"));
  EXPECT_EQ(again.resource(again.find_path("a")).needed_by.size(), 1U);
  EXPECT_NE(again.find_path("a.0"), k_none);
}

}  // namespace
}  // namespace hearth::metadata::live
