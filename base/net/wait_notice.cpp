#include "base/net/wait_notice.hpp"

#include <cstdio>

#include "base/log.hpp"
#include "base/text.hpp"

namespace hearth {

WaitNotice::WaitNotice(std::string text, std::chrono::milliseconds moment)
    : later_(moment, [text = std::move(text)]() -> std::optional<std::chrono::milliseconds> {
        std::fputs(cat(shown_text(text), "\n").c_str(), stderr);
        return std::nullopt;
      }) {}

}  // namespace hearth
