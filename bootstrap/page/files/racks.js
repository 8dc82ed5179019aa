// Racks as they stand in the hall: slots from top to bottom, each node where it is.
import {compare, h} from './dom.js';
import {title} from './store.js';
import {lookOf, mark} from './way.js';

const mostEmpty = 48; // slots of one rack that are drawn though nothing is in them
const highest = 999; // what is more is somebody's own numbering, not a place that can be counted to

/** Not a number where the slot says none. */
function slotNumber(node) {
  const number = Number.parseInt(node.place?.slot, 10);
  return number >= 0 && number <= highest ? number : NaN;
}
const rackName = (place) => [place.location, `rack ${place.rack}`].filter(Boolean).join(' · ');

/** [[name, nodes], …] of all that have a rack. */
export function racksOf(nodes) {
  const racks = new Map();
  for (const node of nodes) {
    if (!node.place?.rack) continue;
    const name = rackName(node.place);
    if (racks.has(name)) racks.get(name).push(node);
    else racks.set(name, [node]);
  }
  return [...racks].sort(([a], [b]) => compare(a, b));
}

/** [[label, nodes], …] from the top: numbers downwards, with the empty ones between; then slots that are no numbers. */
function slotsOf(nodes) {
  const numbered = new Map();
  const others = [];
  for (const node of nodes) {
    const number = slotNumber(node);
    if (Number.isNaN(number)) others.push(node);
    else if (numbered.has(number)) numbered.get(number).push(node);
    else numbered.set(number, [node]);
  }
  const filled = [...numbered.keys()].sort((a, b) => b - a);
  const all = filled.length && filled[0] - filled.at(-1) <= mostEmpty;
  const shown = all ? Array.from({length: filled[0] - filled.at(-1) + 1}, (_, i) => filled[0] - i) : filled;
  others.sort((a, b) => compare(title(a), title(b)));
  return [...shown.map((number) => [String(number), numbered.get(number) ?? []]), ...others.map((node) => [node.place.slot || '–', [node]])];
}

/** A rack whose nodes can be opened; those that `isShown` leaves out only take their place. */
export function drawRack(name, nodes, isShown, open) {
  const unit = (node) => (isShown(node) ? h('button', {
    type: 'button', class: `tile ${lookOf(node)}`, 'data-id': node.id, 'aria-label': `${title(node)}: ${node.state}, slot ${node.place.slot || 'unknown'}`,
    title: `${title(node)}: ${node.state}${node.error ? `, ${node.error}` : ''}`, onclick: () => open(node.id),
  }, mark(lookOf(node)), h('span', {}, title(node))) : h('span', {class: 'taken'}, '·'));
  return h('section', {class: 'rack', 'aria-label': name}, h('h3', {}, name),
    h('ol', {}, slotsOf(nodes).map(([label, there]) => h('li', {class: there.length ? '' : 'empty'}, h('span', {class: 'slot'}, label), there.map(unit)))));
}

/** About as high as it will be, in pixels. */
export const rackHeight = (nodes) => 60 + slotsOf(nodes).reduce((all, [, there]) => all + (there.length ? 34 : 19), 0);

/** A small picture for a person who goes there: the rack, and the one slot in it. */
export function placePicture(node, nodes) {
  if (!node.place?.rack) return null;
  const name = rackName(node.place);
  const there = racksOf(nodes).find(([each]) => each === name)[1];
  const place = `${name}${node.place.slot ? `, slot ${node.place.slot}` : ''}`;
  return h('div', {class: 'place', role: 'img', 'aria-label': `${title(node)} is in ${place}`}, h('p', {}, place),
    slotsOf(there).map(([label, units]) => h('div', {class: units.includes(node) ? 'here' : units.length ? 'unit' : 'gap'},
      h('span', {class: 'slot'}, label), units.map(title).join(', '))));
}
