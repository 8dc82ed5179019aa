// The first view: how many are where, what is to be done at the machines, and every node as a line or a tile.
import {$, compare, h, when} from './dom.js';
import {act} from './actions.js';
import {startBulk} from './bulk.js';
import {addMachines} from './edit.js';
import {drawRacks, placePicture} from './racks.js';
import {onChange, site, title, waitingMachines} from './store.js';
import {badge, lookNames, lookOf, mark, progressBar, stageText, wayLine} from './way.js';

const rows = new Map(); // uuid → {line, tile, look, text}
const wanted = {look: '', text: ''};
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

function line(node) {
  return h('tr', {class: `node ${lookOf(node)}`, 'data-id': node.id},
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
  return h('li', {}, h('button', {
    type: 'button', class: `tile ${look}`, title: told, 'aria-label': told, onclick: () => open(node.id),
  }, mark(look), h('span', {}, title(node))));
}

const matches = (row) => (!wanted.look || row.look === wanted.look) && (!wanted.text || row.text.includes(wanted.text));

function searchText(node) {
  return [title(node), node.id, node.state, node.driver, node.error, under(node), ...node.macs].join(' ').toLowerCase();
}

function put(id) {
  const node = site.nodes.get(id);
  const before = rows.get(id);
  const focused = before?.line.contains(document.activeElement) || before?.tile.contains(document.activeElement);
  const row = {line: line(node), tile: tile(node), look: lookOf(node), text: searchText(node)};
  row.line.hidden = row.tile.hidden = !matches(row);
  rows.set(id, row);
  if (!before) return false;
  if (before.look !== row.look) row.line.classList.add('changed');
  before.line.replaceWith(row.line);
  before.tile.replaceWith(row.tile);
  if (focused) (($('#map').hidden ? row.line : row.tile).querySelector('button')).focus();
  return true;
}

function arrange() {
  const ids = [...site.nodes.values()].sort((a, b) => compare(title(a), title(b)) || compare(a.id, b.id)).map((n) => n.id);
  $('#list tbody').replaceChildren(...ids.map((id) => rows.get(id).line));
  $('#map').replaceChildren(...ids.map((id) => rows.get(id).tile));
}

/** All anew: a rack is a picture of what stands in it together. */
function racks() {
  const nodes = [...site.nodes.values()];
  $('#as-racks').hidden = !nodes.some((node) => node.place?.rack);
  const place = $('#racks');
  if (place.hidden) return;
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.id : null;
  place.replaceChildren(...drawRacks(nodes, (node) => rows.has(node.id) && matches(rows.get(node.id)), (id) => open(id)));
  if (focused) $(`[data-id="${focused}"]`, place)?.focus();
}

function filter() {
  let shown = 0;
  for (const row of rows.values()) {
    row.line.hidden = row.tile.hidden = !matches(row);
    shown += matches(row) ? 1 : 0;
  }
  racks();
  const all = site.nodes.size;
  $('#bulk').disabled = shown === 0;
  $('#count').textContent = all === 0 ? 'No nodes yet: hearth node import FILE brings an inventory in.' :
    shown === all ? '' : `${shown} of ${all} nodes`;
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

function show(how) {
  for (const each of ['list', 'map', 'racks']) {
    $(`#${each}`).hidden = each !== how;
    $(`#as-${each}`).setAttribute('aria-pressed', String(each === how));
  }
  racks();
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
  startBulk(() => [...rows].filter(([, row]) => matches(row)).map(([id]) => site.nodes.get(id)));
  setInterval(strangers, strangerTime);
  onChange((change) => {
    if (change.all && !chosen && site.nodes.size > 60) show('map');
    if (change.all) rows.clear();
    told = true;
    if (change.all) strangers();
    for (const id of change.removed) rows.delete(id);
    let isNew = change.all || change.removed.length > 0;
    for (const id of change.nodes) isNew = !put(id) || isNew;
    if (isNew) arrange();
    if (!isNew && change.nodes.length === 0) return;
    summary();
    todo();
    filter();
  });
}
