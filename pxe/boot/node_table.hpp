// Who is this machine? The seam between the boot servers, which ask for each request, and whoever keeps the inventory:
// a site file, or a program with state of its own that runs the servers in its process (pxe/boot_servers.hpp).
#pragma once

#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "pxe/boot/node.hpp"

namespace hearth::pxe {

/// What is known of a machine that asks; what isn't is empty.
struct Identity {
  Mac mac;
  std::string uuid;  ///< in any case
  std::string serial;
  std::string circuit;
  Ipv4 address;
  std::string id;
};

/// A node as it was when it was asked for; it stays so while it is held.
using NodeRef = std::shared_ptr<const Node>;

/// Asked from several threads at once, for each packet: an answer must take microseconds.
class NodeBook {
 public:
  virtual ~NodeBook() = default;
  /// The node that the first of id, MAC, UUID, serial, circuit, address names; null when none does.
  [[nodiscard]] virtual NodeRef find(const Identity& identity) const = 0;
  /// Whether there are nodes of which only the serial number is known. DHCP does not tell it: unknown machines are then
  /// sent through iPXE, which does.
  [[nodiscard]] virtual bool has_serial_only() const = 0;
  /// How many nodes have no address of their own: they get one of a pool.
  [[nodiscard]] virtual std::size_t without_address() const = 0;
};

/// Nodes in memory, found by hash. Its owner changes it at any time; each request sees what holds then.
class NodeTable final : public NodeBook {
 public:
  NodeTable() = default;
  explicit NodeTable(std::vector<Node> nodes) { replace(std::move(nodes)); }

  [[nodiscard]] NodeRef find(const Identity& who) const override;
  [[nodiscard]] bool has_serial_only() const override;
  [[nodiscard]] std::size_t without_address() const override;

  /// Adds a node, or puts it in the place of the one with its id. Of two nodes with the same MAC (UUID, …) the later
  /// has it.
  void put(Node node);
  void remove(const std::string& id);
  /// All of them anew, at once.
  void replace(std::vector<Node> nodes);
  [[nodiscard]] std::size_t size() const;

 private:
  struct Index {
    std::unordered_map<std::string, NodeRef> by_key;  ///< "m" and the MAC's bytes, "u" and the UUID …
    std::size_t serial_only = 0;
    std::size_t without_address = 0;
    std::size_t nodes = 0;
    void add(const NodeRef& node);
    void take_out(const std::string& id);
    [[nodiscard]] NodeRef find(const std::string& key) const;
  };

  mutable std::shared_mutex mutex_;
  Index index_;
};

/// What a book says, and what machines have told of themselves since: a machine that is known by its serial alone, and
/// has told it once, is then known by its MAC.
class LearningBook final : public NodeBook {
 public:
  explicit LearningBook(const NodeBook& book) : book_(book) {}

  [[nodiscard]] NodeRef find(const Identity& identity) const override;
  [[nodiscard]] bool has_serial_only() const override { return book_.has_serial_only(); }
  [[nodiscard]] std::size_t without_address() const override { return book_.without_address(); }
  void learn(const Mac& mac, const Node& node);

 private:
  const NodeBook& book_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, std::string> ids_;  ///< by the MAC's bytes
};

}  // namespace hearth::pxe
