// What a build asks once, when its sandbox has copies of the hooks: what has changed since the facts were told. What
// was edited meanwhile would be run, but kept under the digest of what it was. Only outside everything still looks as
// it did then, so the sandbox's process asks the one that started it.
#pragma once

#include "base/sys/fd.hpp"
#include "builder/layers/fact_source.hpp"

namespace hearth::builder {

class ChangeQuestion {
 public:
  /// In the sandbox: waits for the answer, and distrusts what has changed. Throws Error(input) when it is an element,
  /// whose hooks are not those of the plan any more.
  void ask(FactSource& facts);

  /// Outside, once the sandbox's process is started: that alone can ask, and read the answer, from now on.
  void begin_answering();
  /// Outside, in a thread: until the question was answered, or nobody is left to ask it. Throws Error when nobody reads
  /// the answer any more.
  void answer(const FactSource& facts);

 private:
  Pipe asked_ = Pipe::create();
  Pipe told_ = Pipe::create();
};

}  // namespace hearth::builder
