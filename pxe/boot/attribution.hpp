// Which machine a request was of: records get the MAC that has the address, and the node's name.
#pragma once

#include "pxe/boot/address_book.hpp"
#include "pxe/boot/node_table.hpp"
#include "pxe/serve/request_log.hpp"

namespace hearth::pxe {

/// Fills in what a record lacks, then hands it on. Called from several threads.
class AttributedRequests final : public RequestLog {
 public:
  /// `observer` may be null; else it is told each record, too.
  AttributedRequests(const NodeBook& nodes, const AddressBook& addresses, RequestLog& next, RequestLog* observer)
      : nodes_(nodes), addresses_(addresses), next_(next), observer_(observer) {}
  void record(const RequestRecord& record) noexcept override;

 private:
  const NodeBook& nodes_;
  const AddressBook& addresses_;
  RequestLog& next_;
  RequestLog* observer_;
};

}  // namespace hearth::pxe
