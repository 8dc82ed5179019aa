// One node, beside the others: its way, its work stage by stage, what is known of it, what has happened to it.
import {$, bytes, clockTime, h, put, said, when} from './dom.js';
import {act} from './actions.js';
import {consoleOf, leaveConsole} from './console.js';
import {editNode} from './edit.js';
import {placePicture} from './racks.js';
import {nodeDetails, onChange, site, title} from './store.js';
import {silence, timeline} from './timeline.js';
import {badge, progressBar, stageText, wayLine, words} from './way.js';
import {whyNot} from './who.js';

const shownVerbs = ['manage', 'inspect', 'provide', 'deploy', 'rebuild', 'rescue', 'unrescue', 'unhold', 'abort', 'undeploy'];
let current = null; // uuid
let timer = 0;

function buttons(node) {
  const verbs = node.verbs.filter((verb) => shownVerbs.includes(verb));
  verbs.sort((a, b) => shownVerbs.indexOf(a) - shownVerbs.indexOf(b));
  const operates = {type: 'button', 'data-needs': 'operate'};
  const list = verbs.map((verb) => h('button', {...operates, 'data-verb': verb, onclick: () => act.verb(node, verb)}, verb));
  const on = node.power === 'power on';
  list.push(
    on ? h('button', {...operates, onclick: () => act.power(node, 'power off', 'switch off')}, 'switch off')
      : h('button', {...operates, onclick: () => act.power(node, 'power on', 'switch on')}, 'switch on'),
    on ? h('button', {...operates, onclick: () => act.power(node, 'rebooting', 'restart')}, 'restart') : null,
    h('button', {...operates, onclick: () => act.maintenance(node)},
      node.maintenance === undefined ? 'maintenance' : 'back in service'),
    h('button', {type: 'button', 'data-needs': 'admin', onclick: () => editNode(node)}, 'edit'));
  return [h('div', {class: 'actions', role: 'group', 'aria-label': 'Actions'}, list), whyNot('operate')];
}

function stages(node) {
  if (!node.job) return null;
  const at = node.job.stages.indexOf(node.job.stage);
  const p = node.progress;
  const told = p?.written ? `${bytes(p.written)} written${p.fetched ? `, ${bytes(p.fetched)} fetched` : ''}` : '';
  return h('section', {},
    h('h3', {}, stageText(node)), progressBar(node), told ? h('p', {class: 'under'}, told) : null,
    h('ol', {class: 'stages'}, node.job.stages.map((stage, i) => h('li', {
      class: i < at ? 'past' : i === at ? 'here' : 'ahead', 'aria-current': i === at ? 'step' : null,
    }, words(stage), i === at ? h('span', {class: 'under'}, ' for ', when(node.job.since)) : null))));
}

function facts(node) {
  const p = node.properties;
  const place = node.place ?? {};
  const list = [
    ['Description', node.description],
    ['Driver', node.driver],
    ['Power', node.power ?? 'unknown'],
    ['Place', [place.location, place.rack && `rack ${place.rack}`, place.slot && `slot ${place.slot}`].filter(Boolean).join(', ')],
    ['Processors', p.cpus && `${p.cpus}${p.cpu_arch ? ` × ${p.cpu_arch}` : ''}`],
    ['Memory', p.memory_mb && `${p.memory_mb} MiB`],
    ['Disk', p.local_gb && `${p.local_gb} GiB to use`],
    ['Root disk', p.root_device],
    ['Capabilities', p.capabilities],
    ['Firmware', {uefi: 'UEFI', bios: 'BIOS'}[node.boot_mode] ?? 'nobody has said; as its machine has it'],
    ['Boots from', node.boot_device],
    ['Image', node.instance.image],
    ['Instance', node.instance.uuid],
    ['Last heard', node.seen && h('span', {}, when(node.seen.at, 'ago'), `: ${node.seen.how}`)],
    ['UUID', h('code', {}, node.id)],
  ].filter(([, value]) => value);
  for (const port of node.ports) {
    list.push(['Port', h('span', {}, h('code', {}, port.address),
      port.switch ? ` at ${port.switch}${port.switch_port ? ` ${port.switch_port}` : ''}` : '')]);
  }
  return h('dl', {class: 'facts'}, list.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));
}

function history(events) {
  return h('ol', {class: 'events short'}, [...events].reverse().map((event) => h('li', {class: `k-${event.kind}`},
    h('time', {datetime: event.at, title: new Date(event.at).toLocaleString()}, clockTime(event.at)),
    h('span', {class: 'kind'}, event.kind), h('span', {class: 'text'}, said(event)))));
}

/** What `hearth why` says first, and the next step; and the node's error, where that does not say it. */
function causes(node) {
  const tellsError = Boolean(node.error && node.why?.cause.includes(node.error));
  return [
    node.why ? h('section', {class: `note why${tellsError ? ' failed' : ''}`, 'aria-label': 'Why'}, h('p', {}, node.why.cause),
      node.why.next ? h('p', {class: 'under'}, 'Next: ', node.why.next) : null) : null,
    node.error && !tellsError ? h('p', {class: 'note failed'}, node.error) : null,
  ];
}

function unheard(node) {
  const why = silence(node);
  return why ? h('p', {class: 'under'}, why) : null;
}

/** What the deploy ramdisk told when an order failed; it stays open while the sheet is drawn anew. */
function agentLog(log, open) {
  if (!log) return null;
  return h('details', {class: 'log agent', open: open ? '' : null},
    h('summary', {}, "The agent's log of ", h('time', {datetime: log.at}, clockTime(log.at))),
    h('pre', {tabindex: '0', 'aria-label': "The agent's log"}, log.text));
}

/** What has the focus, so that its successor gets it: by its name, else by its place among its like. */
function focusIn(body) {
  const has = document.activeElement;
  if (!body.contains(has)) return () => {};
  const like = () => [...body.querySelectorAll(has.localName)];
  const nameOf = (element) => element.getAttribute('aria-label') ?? element.textContent;
  const [name, place] = [nameOf(has), like().indexOf(has)];
  return () => (like().find((element) => nameOf(element) === name) ?? like()[place])?.focus({preventScroll: true});
}

function draw(node) {
  const sheet = $('#node');
  // The console is never taken out of the page: it would lose its place, and whoever types there his keys.
  const body = $('.drawn', sheet) ?? put(sheet, h('div', {class: 'drawn'})).firstElementChild;
  const focusAgain = focusIn(body);
  const top = sheet.scrollTop;
  const log = $('details.agent', body);
  const [open, logTop] = [log?.open, $('pre', log ?? body)?.scrollTop];
  put(body,
    h('header', {},
      h('div', {}, h('h2', {id: 'node-title'}, title(node)), badge(node)),
      h('button', {type: 'button', class: 'quiet close', 'aria-label': 'Close', onclick: () => sheet.close()}, '✕')),
    wayLine(node, true),
    ...causes(node),
    node.maintenance !== undefined ? h('p', {class: 'note held'}, `In maintenance: ${node.maintenance || 'no reason given'}`) : null,
    node.todo ? h('div', {class: 'note waiting'}, node.todo.text, placePicture(node, [...site.nodes.values()])) : null,
    ...buttons(node), stages(node), timeline(node), unheard(node),
    h('section', {}, h('h3', {}, 'The machine'), facts(node)),
    h('section', {}, h('h3', {}, 'What has happened'), history(node.events)), agentLog(node.log, open));
  const box = consoleOf(node);
  if (body.nextElementSibling !== box) {
    body.nextElementSibling?.remove();
    if (box) sheet.append(box);
  }
  sheet.scrollTop = top;
  if (open) $('details.agent pre', body).scrollTop = logTop;
  focusAgain();
}

async function load() {
  const id = current;
  const node = await nodeDetails(id);
  if (id !== current) return;
  if (node) draw(node);
  else $('#node').close();
}

export async function openNode(id) {
  if (!site.nodes.has(id)) return;
  current = id;
  history_.replace(`#node/${id}`);
  await load();
  if (!$('#node').open) $('#node').showModal();
  $('#node').scrollTop = 0;
}

const history_ = {replace: (hash) => window.history.replaceState(null, '', hash)};

export function startDetail() {
  const sheet = $('#node');
  sheet.addEventListener('close', () => {
    current = null;
    leaveConsole();
    history_.replace('#nodes');
  });
  sheet.addEventListener('click', (event) => {
    if (event.target === sheet) sheet.close(); // beside it
  });
  onChange((change) => {
    if (!current || !(change.all || change.nodes.includes(current) || change.removed.includes(current))) return;
    clearTimeout(timer);
    timer = setTimeout(load, 200);
  });
}
