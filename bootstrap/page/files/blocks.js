// Long lists, drawn as needed: what is listed is cut into blocks, and a block has its elements only while it is near what is seen.
// One that is not takes as much place as it took, or as one like it would.
const near = '600px 0px';

export class Blocks {
  #watcher = new IntersectionObserver((seen) => {
    for (const {target, isIntersecting} of seen) this.#turn(target, isIntersecting);
  }, {rootMargin: near});
  #blocks = new Map(); // element → {items, first, height, isDrawn}
  #drawn = new Map(); // item → its element
  #each = 0; // height of an item where they were last seen

  /**
   * place: the element all of it is added to. how: block() makes an empty element for a block, size() is how many items one holds,
   * draw(item, index) makes the element of one, gap(height) what stands in a block that is not drawn, and guess(items) is how high
   * they will be. What one can go to by keyboard has the attribute data-id, or is a button in what has it.
   */
  constructor(place, how) {
    Object.assign(this, {place, how});
  }

  /** These from now on, in this order. */
  show(items) {
    const focused = this.#focused();
    const before = [...this.#blocks.values()].map((block) => block.isDrawn);
    this.#watcher.disconnect();
    for (const element of this.#blocks.keys()) element.remove();
    this.#blocks.clear();
    this.#drawn.clear();
    const size = this.how.size();
    for (let first = 0; first < items.length; first += size) {
      const block = {items: items.slice(first, first + size), first, height: 0, isDrawn: false};
      const element = this.how.block(block);
      element.replaceChildren(this.how.gap(this.#heightOf(block)));
      this.#blocks.set(element, block);
    }
    this.place.append(...this.#blocks.keys());
    const isSeen = this.place.checkVisibility();
    for (const [i, element] of [...this.#blocks.keys()].entries()) {
      if (isSeen && (i === 0 || before[i])) this.#turn(element, true); // at once: the watcher tells after the next picture only
      this.#watcher.observe(element);
    }
    if (focused) this.focus(focused);
  }

  /** Its element; nothing where it is not drawn. */
  drawn(item) {
    return this.#drawn.get(item)?.element;
  }

  /** It is another than it was: its new element, or nothing where it is not drawn. */
  redraw(item) {
    const old = this.#drawn.get(item);
    if (!old) return undefined;
    const focused = old.element.contains(document.activeElement) && this.#focused();
    const element = this.how.draw(item, old.index);
    this.#drawn.set(item, {element, index: old.index});
    old.element.replaceWith(element);
    if (focused) this.focus(focused);
    return element;
  }

  redrawAll() {
    for (const item of [...this.#drawn.keys()]) this.redraw(item);
  }

  focus(id) {
    for (const [element, {items}] of this.#blocks) if (items.includes(id)) this.#turn(element, true);
    const one = this.place.querySelector(`[data-id="${id}"]`);
    (one?.matches('button') ? one : one?.querySelector('button'))?.focus();
  }

  #focused() {
    return this.place.contains(document.activeElement) ? document.activeElement.closest('[data-id]')?.dataset.id : undefined;
  }

  #heightOf(block) {
    return block.height || (this.#each ? this.#each * block.items.length : this.how.guess(block.items));
  }

  #turn(element, isNear) {
    const block = this.#blocks.get(element);
    if (!block || isNear === block.isDrawn) return;
    if (isNear) {
      element.replaceChildren(...block.items.map((item, i) => {
        const one = {element: this.how.draw(item, block.first + i), index: block.first + i};
        this.#drawn.set(item, one);
        return one.element;
      }));
    } else {
      if (element.contains(document.activeElement)) return; // who stands on it stays there
      block.height = element.getBoundingClientRect().height; // none while nothing of this is shown
      if (block.height) this.#each = block.height / block.items.length;
      for (const item of block.items) this.#drawn.delete(item);
      element.replaceChildren(this.how.gap(this.#heightOf(block)));
    }
    block.isDrawn = isNear;
  }
}
