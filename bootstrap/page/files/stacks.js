// Stacks: their resources as a graph, laid out in columns by what needs what; as a table, too; and their events.
import {$, clockTime, compare, h, svg} from './dom.js';
import {onChange, site} from './store.js';

const most = 120; // resources in one picture
const box = {width: 196, height: 46, across: 44, down: 16};

const lookOf = (status) => (/FAILED/.test(status) ? 'failed' : /COMPLETE/.test(status) && !/INIT/.test(status) ? 'active'
  : /IN_PROGRESS/.test(status) ? 'working' : 'new');

/** Members of a nested stack carry its resource's name: "group.0". */
function label(stack, resource) {
  const parent = resource.stack && stack.resources.find((one) => one.nested === resource.stack);
  return parent ? `${label(stack, parent)}.${resource.name}` : resource.name;
}

/** What the graph is of: all resources, or only those of the stack itself when they are too many. */
function graphOf(stack) {
  const all = stack.resources;
  const own = all.filter((resource) => resource.stack === `${stack.name}/${stack.id}`);
  const chosen = all.length > most ? own.slice(0, most) : all;
  const key = (place, name) => `${place} ${name}`;
  const items = new Map(chosen.map((resource) => [key(resource.stack, resource.name), {resource, from: [], to: [], column: 0}]));
  const parents = new Map(chosen.filter((resource) => resource.nested).map((resource) => [resource.nested, key(resource.stack, resource.name)]));
  const join = (a, b) => {
    if (!items.has(a) || !items.has(b) || a === b) return;
    items.get(a).to.push(b);
    items.get(b).from.push(a);
  };
  for (const [id, {resource}] of items) {
    for (const other of resource.required_by) join(id, key(resource.stack, other));
    const isLast = resource.required_by.length === 0;
    if (isLast && parents.has(resource.stack)) join(id, parents.get(resource.stack));
  }
  return items;
}

/** Columns by the longest way from what needs nothing. */
function columns(items) {
  const waiting = new Map([...items].map(([id, item]) => [id, item.from.length]));
  let ready = [...waiting].filter(([, n]) => n === 0).map(([id]) => id);
  while (ready.length > 0) {
    const next = [];
    for (const id of ready) {
      for (const other of items.get(id).to) {
        items.get(other).column = Math.max(items.get(other).column, items.get(id).column + 1);
        waiting.set(other, waiting.get(other) - 1);
        if (waiting.get(other) === 0) next.push(other);
      }
    }
    ready = next;
  }
  // What needs nothing stands just before what needs it.
  for (const item of items.values()) {
    if (item.from.length === 0 && item.to.length > 0) item.column = Math.min(...item.to.map((other) => items.get(other).column)) - 1;
  }
  const found = [];
  for (const [id, item] of items) (found[item.column] ??= []).push(id);
  for (const column of found) column.sort((a, b) => compare(a, b));
  // Each stands near what it needs: a few sweeps of the mean of its neighbours' places.
  for (let sweep = 0; sweep < 4; ++sweep) {
    for (let c = 1; c < found.length; ++c) {
      const row = new Map(found.flat().map((id) => [id, found[items.get(id).column].indexOf(id)]));
      const mean = (id) => items.get(id).from.reduce((sum, other) => sum + row.get(other), 0) / Math.max(1, items.get(id).from.length);
      found[c].sort((a, b) => mean(a) - mean(b));
    }
  }
  return found;
}

/** "complete", "in progress", "failed"; what has not begun waits. */
const short = (status) => (/^INIT|^$/.test(status) ? 'waits' : status.replace(/^[A-Z]+?_/, '').toLowerCase().replaceAll('_', ' '));

function cut(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

function picture(stack) {
  const items = graphOf(stack);
  const layout = columns(items);
  const tallest = Math.max(...layout.map((column) => column.length), 1);
  const width = layout.length * (box.width + box.across) - box.across + 4;
  const height = tallest * (box.height + box.down) - box.down + 4;
  const place = new Map();
  layout.forEach((column, c) => column.forEach((id, r) => {
    const top = (tallest - column.length) * (box.height + box.down) / 2;
    place.set(id, {x: 2 + c * (box.width + box.across), y: 2 + top + r * (box.height + box.down)});
  }));
  const edges = [];
  const boxes = [];
  for (const [id, item] of items) {
    const {x, y} = place.get(id);
    for (const other of item.to) {
      const end = place.get(other);
      const [x1, y1, x2, y2] = [x + box.width, y + box.height / 2, end.x, end.y + box.height / 2];
      const bend = Math.max(24, (x2 - x1) / 2);
      edges.push(svg('path', {class: 'edge', d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`}));
    }
    const {type, status, reason} = item.resource;
    const name = label(stack, item.resource);
    boxes.push(svg('g', {class: `resource ${lookOf(status)}`, transform: `translate(${x} ${y})`},
      svg('title', {}, `${name} (${type}): ${status}${reason ? `, ${reason}` : ''}`),
      svg('rect', {width: box.width, height: box.height, rx: 8}),
      svg('rect', {class: 'stripe', width: 5, height: box.height, rx: 2}),
      svg('text', {x: 16, y: 19, class: 'label'}, cut(name, 24)),
      svg('text', {x: 16, y: 36, class: 'type'}, cut(`${short(status)} · ${type.replace(/^OS::/, '')}`, 29))));
  }
  return h('div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': `Graph of ${stack.name}; the table below has the same`},
    svg('svg', {class: 'graph', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': `${items.size} resources of ${stack.name}`},
      ...edges, ...boxes));
}

function table(stack) {
  const rows = stack.resources.map((resource) => h('tr', {},
    h('th', {scope: 'row'}, label(stack, resource)), h('td', {}, h('code', {}, resource.type)),
    h('td', {}, h('span', {class: `badge ${lookOf(resource.status)}`}, resource.status || 'none')),
    h('td', {}, resource.required_by.join(', ')), h('td', {}, resource.reason)));
  return h('details', {}, h('summary', {}, `${stack.resources.length} resources as a table`), h('div', {class: 'scroll'},
    h('table', {class: 'plain'}, h('thead', {}, h('tr', {}, ['Resource', 'Type', 'Status', 'Needed by', 'Reason'].map((name) => h('th', {scope: 'col'}, name)))),
      h('tbody', {}, rows))));
}

function card(stack) {
  return h('article', {class: 'card stack'},
    h('header', {}, h('h2', {}, stack.name), h('span', {class: `badge ${lookOf(stack.status)}`}, stack.status)),
    stack.reason && lookOf(stack.status) === 'failed' ? h('p', {class: 'note failed'}, stack.reason) : null,
    picture(stack), table(stack),
    h('details', {}, h('summary', {}, 'Latest events'), h('ol', {class: 'events'}, stack.events.map((event) => h('li', {},
      h('time', {datetime: event.at}, clockTime(event.at)), h('span', {class: 'name'}, event.resource),
      h('span', {class: 'kind'}, event.status), h('span', {class: 'text'}, event.reason))))));
}

function draw() {
  const panel = $('#stacks');
  const openOnes = new Set([...panel.querySelectorAll('details')].map((one, i) => (one.open ? i : -1)));
  const view = site.stacks;
  const said = !site.hasStacks ? 'This conductor knows no stacks: hearth node serve --stacks URL shows those of a Heat API.'
    : !view ? 'Looking…' : view.error ? `The stacks can’t be shown: ${view.error}`
      : view.stacks.length === 0 ? 'There are no stacks yet.' : '';
  panel.replaceChildren(...(said ? [h('p', {class: 'card'}, said)] : view.stacks.map(card)));
  panel.querySelectorAll('details').forEach((one, i) => { one.open = openOnes.has(i); });
}

export function startStacks() {
  onChange((change) => {
    if (change.all || change.stacks) draw();
  });
}
