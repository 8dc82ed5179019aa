// All events, newest first, and the conductor's log.
import {$, clockTime, h, said} from './dom.js';
import {olderEvents, onChange, site} from './store.js';

const shownMost = 1000;
const levels = ['info', 'warning', 'error'];
const wanted = {text: '', kind: '', level: 'info'};
let open = () => {};
let limit = shownMost;

const matches = (event) => (!wanted.kind || event.kind === wanted.kind) &&
  (!wanted.text || `${event.name} ${event.kind} ${event.text}`.toLowerCase().includes(wanted.text));

function item(event) {
  const known = event.node && site.nodes.has(event.node);
  return h('li', {class: `k-${event.kind}`, 'data-id': event.id},
    h('time', {datetime: event.at, title: new Date(event.at).toLocaleString()}, clockTime(event.at)),
    known ? h('button', {type: 'button', class: 'name', onclick: () => open(event.node)}, event.name)
      : h('span', {class: 'name'}, event.name || 'site'),
    h('span', {class: 'kind'}, event.kind), h('span', {class: 'text'}, said(event)));
}

function kinds() {
  const select = $('#event-kind');
  const known = new Set([...select.options].map((option) => option.value));
  for (const kind of new Set(site.events.map((event) => event.kind))) {
    if (!known.has(kind)) select.append(h('option', {value: kind}, kind));
  }
}

function drawEvents() {
  kinds();
  const found = site.events.filter(matches).slice(-limit).reverse();
  $('#event-list').replaceChildren(...found.map(item));
}

function addEvents(events) {
  if ($('#event-hold').checked) return;
  kinds();
  const list = $('#event-list');
  list.prepend(...events.filter(matches).reverse().map(item));
  while (list.children.length > limit) list.lastChild.remove();
}

function addLines(lines) {
  const list = $('#lines');
  const atEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 8;
  for (const line of lines) {
    const lower = levels.indexOf(line.level) < levels.indexOf(wanted.level);
    list.append(h('li', {class: line.level, hidden: lower}, h('time', {datetime: line.at}, clockTime(line.at)),
      h('span', {class: 'level'}, line.level), h('span', {class: 'text'}, line.text)));
  }
  while (list.children.length > 1000) list.firstChild.remove();
  if (atEnd) list.scrollTop = list.scrollHeight;
}

function drawLines() {
  $('#lines').replaceChildren();
  addLines(site.lines);
}

/** What somebody who can't see the page must hear of at once. */
function announce(events) {
  const bad = events.filter((event) => event.kind === 'failure' || event.kind === 'instruction').slice(-1)[0];
  if (bad) $('#announce').textContent = `${bad.name}: ${bad.text}`;
}

export function startEvents(openNode) {
  open = openNode;
  $('#event-find').addEventListener('input', (event) => {
    wanted.text = event.target.value.trim().toLowerCase();
    drawEvents();
  });
  $('#event-kind').addEventListener('change', (event) => {
    wanted.kind = event.target.value;
    drawEvents();
  });
  $('#event-hold').addEventListener('change', drawEvents);
  $('#level').addEventListener('change', (event) => {
    wanted.level = event.target.value;
    drawLines();
  });
  $('#older').addEventListener('click', async () => {
    const events = await olderEvents();
    limit += events.length;
    drawEvents();
    if (events.length === 0) $('#older').disabled = true;
  });
  onChange((change) => {
    if (change.all) {
      drawEvents();
      drawLines();
      return;
    }
    addEvents(change.events);
    addLines(change.lines);
    announce(change.events);
  });
}
