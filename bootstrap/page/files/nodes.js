// The first view: how many are where, what is to be done at the machines, and every node as a line or a tile.
import {$, compare, h, when} from './dom.js';
import {act} from './actions.js';
import {Blocks} from './blocks.js';
import {startBulk} from './bulk.js';
import {addMachines} from './edit.js';
import {drawRack, placePicture, rackHeight, racksOf} from './racks.js';
import {onChange, site, title, waitingMachines} from './store.js';
import {badge, lookNames, lookOf, mark, progressBar, stageText, wayLine} from './way.js';

const rows = new Map(); // uuid → {look, text, isShown}
const wanted = {look: '', text: ''};
let order = []; // uuids of all nodes, as they are listed
let shown = []; // those that are looked for
let racks = new Map(); // name → nodes, while racks are shown
let current = 'list'; // how nodes are shown: a key of views
let open = () => {};

function placeText(node) {
  const place = node.place ?? {};
  return [place.location, place.rack && `rack ${place.rack}`, place.slot && `slot ${place.slot}`].filter(Boolean).join(' · ');
}

const under = (node) => [placeText(node) || node.macs[0], node.profile].filter(Boolean).join(' · ');

function problem(node) {
  if (node.maintenance !== undefined) return h('p', {class: 'note held'}, `In maintenance${node.maintenance ? `: ${node.maintenance}` : ''}`);
  if (node.error) return h('p', {class: 'note failed'}, node.error);
  return null;
}

function power(node) {
  const text = node.target_power ? `→ ${node.target_power}` : node.power ?? 'unknown';
  return h('span', {class: `power ${node.power === 'power on' ? 'on' : 'off'}`}, text.replace('power ', ''));
}

const node = (id) => site.nodes.get(id);

function line(node, index) {
  return h('tr', {class: `node ${lookOf(node)}`, 'data-id': node.id, 'aria-rowindex': index + 2},
    h('th', {scope: 'row'},
      h('button', {type: 'button', class: 'name', onclick: () => open(node.id)}, title(node)),
      h('p', {class: 'under'}, under(node))),
    h('td', {class: 'state'}, badge(node)),
    h('td', {class: 'course'}, wayLine(node),
      node.job ? h('p', {class: 'stage'}, stageText(node)) : null, progressBar(node), problem(node)),
    h('td', {class: 'power-cell'}, power(node)),
    h('td', {class: 'since'}, when(node.since)));
}

function tile(node) {
  const look = lookOf(node);
  const told = `${title(node)}: ${node.state}${node.error ? `, ${node.error}` : ''}`;
  return h('li', {'data-id': node.id}, h('button', {
    type: 'button', class: `tile ${look}`, title: told, 'aria-label': told, onclick: () => open(node.id),
  }, mark(look), h('span', {}, title(node))));
}

const matches = (row) => (!wanted.look || row.look === wanted.look) && (!wanted.text || row.text.includes(wanted.text));

function searchText(node) {
  return [title(node), node.id, node.state, node.driver, node.error, under(node), ...node.macs].join(' ').toLowerCase();
}

/** What is known of it anew; whether another is shown now, or in another place. */
function put(id) {
  const before = rows.get(id);
  const row = {look: lookOf(node(id)), text: searchText(node(id)), title: title(node(id))};
  row.isShown = matches(row);
  rows.set(id, row);
  return !before || before.isShown !== row.isShown || before.title !== row.title;
}

const gap = (tag, height) => {
  const element = h(tag, {class: 'gap', 'aria-hidden': 'true'});
  element.style.blockSize = `${height}px`;
  return element;
};
const columns = () => Math.max(1, Math.floor(($('#map').clientWidth + 6) / 110)); // .map in parts.css

/** How nodes are shown. */
const views = {
  list: new Blocks($('#list'), {
    block: () => h('tbody'), size: () => 40, draw: (id, i) => line(node(id), i), gap: (height) => gap('tr', height),
    guess: (ids) => 75 * ids.length,
  }),
  map: new Blocks($('#map'), {
    block: ({first, items}) => h('ul', {class: 'map', 'aria-label': `Nodes ${first + 1} to ${first + items.length}`}), size: () => 12 * columns(),
    draw: (id) => tile(node(id)), gap: (height) => gap('li', height), guess: (ids) => 36 * Math.ceil(ids.length / columns()),
  }),
  racks: new Blocks($('#racks'), {
    block: () => h('div'), size: () => 1, draw: (name) => drawRack(name, racks.get(name), (one) => rows.get(one.id)?.isShown, (id) => open(id)),
    gap: (height) => gap('div', height), guess: ([name]) => rackHeight(racks.get(name)),
  }),
};

function draw() {
  if (current !== 'racks') {
    views[current].show(shown);
    return;
  }
  const before = [...racks.keys()];
  racks = new Map(racksOf([...site.nodes.values()]).filter(([, there]) => there.some(({id}) => rows.get(id).isShown)));
  const now = [...racks.keys()];
  if (now.length === before.length && now.every((name, i) => name === before[i])) views.racks.redrawAll();
  else views.racks.show(now);
}

function filter() {
  for (const row of rows.values()) row.isShown = matches(row);
  shown = order.filter((id) => rows.get(id).isShown);
  $('#list').setAttribute('aria-rowcount', shown.length + 1);
  $('#as-racks').hidden = ![...site.nodes.values()].some(({place}) => place?.rack);
  draw();
  const all = site.nodes.size;
  $('#bulk').disabled = shown.length === 0;
  $('#count').textContent = all === 0 ? 'No nodes yet: hearth node import FILE brings an inventory in.' :
    shown.length === all ? '' : `${shown.length} of ${all} nodes`;
}

function arrange() {
  order = [...rows].sort(([a, {title: one}], [b, {title: other}]) => compare(one, other) || compare(a, b)).map(([id]) => id);
}

function summary() {
  const counts = new Map(Object.keys(lookNames).map((look) => [look, 0]));
  for (const node of site.nodes.values()) counts.set(lookOf(node), counts.get(lookOf(node)) + 1);
  const total = site.nodes.size;
  const bar = h('div', {class: 'share', 'aria-hidden': 'true'});
  const chips = h('div', {class: 'chips', role: 'group', 'aria-label': 'Show only'});
  for (const [look, count] of counts) {
    if (count === 0 && wanted.look !== look) continue;
    const part = h('span', {class: look});
    part.style.flexGrow = count;
    bar.append(part);
    chips.append(h('button', {
      type: 'button', class: `chip ${look}`, 'aria-pressed': String(wanted.look === look), 'data-look': look,
      onclick: () => {
        wanted.look = wanted.look === look ? '' : look;
        summary();
        filter();
        $(`.chip[data-look="${look}"]`)?.focus();
      },
    }, mark(look), h('strong', {}, count), lookNames[look]));
  }
  $('#summary').replaceChildren(
    h('p', {class: 'total'}, h('strong', {}, total), total === 1 ? ' node' : ' nodes'), bar, chips);
}

function todo() {
  const due = [...site.nodes.values()].filter((node) => node.todo).sort((a, b) => compare(a.todo.since, b.todo.since));
  $('#todo').hidden = due.length === 0;
  $('#todo ul').replaceChildren(...due.map((node) => h('li', {},
    h('div', {}, h('p', {class: 'task'}, node.todo.text),
      h('p', {class: 'under'}, [title(node), placeText(node)].filter(Boolean).join(' · '), ' · asked ', when(node.todo.since, 'ago'), ' · ',
        when(node.todo.deadline, 'until'))),
    placePicture(node, [...site.nodes.values()]),
    h('button', {type: 'button', 'data-needs': 'operate', onclick: () => act.done(node)}, 'Done'))));
}

const strangerTime = 15000;
let told = false; // whether anything is, which takes a log-in

async function strangers() {
  if (document.hidden || !told) return;
  const waiting = await waitingMachines();
  $('#strangers').hidden = waiting.length === 0;
  $('#strangers ul').replaceChildren(...waiting.map(({mac, how, last_seen: seen}) => h('li', {},
    h('div', {}, h('p', {class: 'task'}, mac), h('p', {class: 'under'}, how, ' · ', when(seen, 'ago'))),
    h('button', {type: 'button', 'data-needs': 'admin', onclick: () => act.approve(mac, strangers)}, 'Approve'))));
}

let chosen = false; // how nodes are shown, by a person: what comes does not change it

function show(view) {
  for (const each of Object.keys(views)) {
    $(`#${each}`).hidden = each !== view;
    $(`#as-${each}`).setAttribute('aria-pressed', String(each === view));
    if (each !== view) views[each].show([]);
  }
  current = view;
  racks.clear();
  draw();
}

export function startNodes(openNode) {
  open = openNode;
  $('#find').addEventListener('input', (event) => {
    wanted.text = event.target.value.trim().toLowerCase();
    filter();
  });
  for (const each of ['list', 'map', 'racks']) {
    $(`#as-${each}`).addEventListener('click', () => {
      chosen = true;
      show(each);
    });
  }
  $('#add').addEventListener('click', addMachines);
  startBulk(() => shown.map(node));
  let width = 0;
  new ResizeObserver(() => {
    if (current === 'map' && width !== columns()) draw();
    width = columns();
  }).observe($('#map'));
  setInterval(strangers, strangerTime);
  onChange((change) => {
    if (change.all) rows.clear();
    told = true;
    if (change.all) strangers();
    for (const id of change.removed) rows.delete(id);
    let isNew = change.all || change.removed.length > 0;
    const looks = new Map(change.nodes.map((id) => [id, rows.get(id)?.look]));
    for (const id of change.nodes) isNew = put(id) || isNew;
    if (!isNew && change.nodes.length === 0) return;
    summary();
    todo();
    if (isNew) {
      arrange();
      filter();
    } else if (current === 'racks') {
      draw();
    }
    if (change.all && !chosen && site.nodes.size > 60) show('map');
    for (const [id, look] of looks) {
      const drawn = isNew ? views[current].drawn(id) : views[current].redraw(id);
      if (look && look !== rows.get(id).look) drawn?.classList.add('changed');
    }
  });
}
