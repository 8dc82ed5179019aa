#include "pxe/boot/node_table.hpp"

#include <gtest/gtest.h>

#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe {
namespace {

using dhcp::ip;
using dhcp::mac;

std::string name_of(const NodeBook& book, const Identity& who) {
  const NodeRef node = book.find(who);
  return node == nullptr ? "nobody" : node->name;
}

TEST(NodeTable, FindsANodeByEverythingThatIdentifiesIt) {
  NodeTable table(dhcp::sample_site().nodes);
  EXPECT_EQ(name_of(table, {.mac = mac(1)}), "one");
  EXPECT_EQ(name_of(table, {.uuid = "12345678-1234-1234-1234-123456789ABC"}), "one");
  EXPECT_EQ(name_of(table, {.circuit = "port7"}), "two");
  EXPECT_EQ(name_of(table, {.address = ip("192.0.2.50")}), "one");
  EXPECT_EQ(name_of(table, {.id = "2"}), "two");
  EXPECT_EQ(name_of(table, {.mac = mac(9)}), "nobody");
  EXPECT_EQ(name_of(table, {}), "nobody");
}

TEST(NodeTable, TheMacCountsBeforeTheUuidAndThatBeforeTheCircuit) {
  NodeTable table(dhcp::sample_site().nodes);
  EXPECT_EQ(name_of(table, {.mac = mac(2), .uuid = "12345678-1234-1234-1234-123456789abc"}), "two");
  EXPECT_EQ(name_of(table, {.mac = mac(9), .uuid = "12345678-1234-1234-1234-123456789abc", .circuit = "port7"}), "one");
}

TEST(NodeTable, AChangedNodeIsFoundByWhatItIsNowOnly) {
  NodeTable table(dhcp::sample_site().nodes);
  const NodeRef before = table.find({.mac = mac(1)});
  Node changed = *before;
  changed.macs = {mac(7)};
  changed.state = BootState::local;
  table.put(changed);
  EXPECT_EQ(name_of(table, {.mac = mac(1)}), "nobody");
  EXPECT_EQ(table.find({.mac = mac(7)})->state, BootState::local);
  EXPECT_EQ(before->state, BootState::deploy) << "who holds it sees it as it was";
  EXPECT_EQ(table.size(), 2U);
  table.remove("1");
  table.remove("1");
  EXPECT_EQ(name_of(table, {.uuid = "12345678-1234-1234-1234-123456789abc"}), "nobody");
  EXPECT_EQ(table.size(), 1U);
}

TEST(NodeTable, WhatPassesToAnotherNodeStaysWithItWhenTheFirstGoes) {
  NodeTable table;
  table.put({.id = "a", .name = "first", .macs = {mac(1)}});
  table.put({.id = "b", .name = "second", .macs = {mac(1)}});
  table.remove("a");
  EXPECT_EQ(name_of(table, {.mac = mac(1)}), "second");
}

TEST(NodeTable, KnowsWhetherThereAreNodesWithNothingButASerialNumber) {
  NodeTable table;
  table.put({.id = "a", .macs = {mac(1)}, .serial = "S1"});
  EXPECT_FALSE(table.has_serial_only());
  table.put({.id = "b", .serial = "S2"});
  EXPECT_TRUE(table.has_serial_only());
  table.remove("b");
  EXPECT_FALSE(table.has_serial_only());
}

TEST(LearningBook, AMachineThatHasToldItsSerialNumberIsKnownByItsMac) {
  NodeTable table;
  table.put({.id = "b", .name = "b", .serial = "S2"});
  LearningBook book(table);
  EXPECT_EQ(name_of(book, {.mac = mac(5)}), "nobody");
  book.learn(mac(5), *book.find({.serial = "S2"}));
  EXPECT_EQ(name_of(book, {.mac = mac(5)}), "b");
  EXPECT_EQ(name_of(book, {.mac = mac(6)}), "nobody");
  table.put({.id = "c", .name = "c", .macs = {mac(5)}});
  EXPECT_EQ(name_of(book, {.mac = mac(5)}), "c") << "the inventory counts before what was learned";
  table.remove("c");
  table.remove("b");
  EXPECT_EQ(name_of(book, {.mac = mac(5)}), "nobody");
}

}  // namespace
}  // namespace hearth::pxe
