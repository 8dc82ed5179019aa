// The last work on a node as one picture: its stages, what its machine asked the boot servers for, and what was heard of the
// system that was deployed, on one axis of time.
import {clockTime, conductorNow, h, span} from './dom.js';
import {site} from './store.js';
import {words} from './way.js';

const kindOf = (state) => site.states[state]?.kind ?? 'stable';
const isAtRest = (state) => ['stable', 'failed'].includes(kindOf(state));

/** "available -> deploying (admin)" */
function change(event) {
  const found = event.kind === 'state' && /^(.+?) -> (.+?)(?: \(.*\))?$/.exec(event.text);
  return found ? {from: found[1], to: found[2]} : null;
}

const question = 'its agent has asked for its metadata';
const address = 'its machine has asked for an address';
const longestPause = 3600000; // what comes later is no part of that work

/** What was heard of the new system: its first questions, and each deployment once. Updates of later stacks are no first signs. */
function firstSigns(events) {
  const found = [];
  for (const event of events) {
    if (event.kind !== 'system' || found.some(({text}) => text === event.text)) continue;
    const isFirst = event.text === question || event.text === address;
    if (!isFirst && !/^deployment .+: (done|failed)$/.test(event.text)) continue;
    if (!isFirst && found.length && Date.parse(event.at) - Date.parse(found.at(-1).at) > longestPause) break;
    found.push(event);
  }
  return found;
}

/** The events of the last work: from where it left a state of rest to where it came to one again. */
function lastWork(events) {
  let first = -1;
  events.forEach((event, i) => {
    const step = change(event);
    if (step && isAtRest(step.from) && !isAtRest(step.to)) first = i;
  });
  if (first < 0) return null;
  const rest = events.slice(first + 1);
  const end = rest.findIndex((event) => change(event) && isAtRest(change(event).to));
  const system = end >= 0 && change(rest[end]).to === 'active' ? firstSigns(rest.slice(end + 1)) : [];
  const done = end < 0 ? conductorNow() : Date.parse(rest[end].at);
  return {
    name: change(events[first]).to, begin: Date.parse(events[first].at), events: end < 0 ? rest : rest.slice(0, end + 1), system, done,
    end: system.length ? Date.parse(system.at(-1).at) : done, goesOn: end < 0,
  };
}

const mostDeployments = 12;

/** From the end of the conductor's work: the first boot up to the agent's first question, then each deployment up to its signal. */
function systemBars(work) {
  const found = [];
  let from = work.done;
  for (const event of work.system) {
    const at = Date.parse(event.at);
    if (event.text === address) {
      found.push({name: 'boot to DHCP', begin: work.done, end: at, kind: 'boot'});
      continue;
    }
    const deployment = /^deployment (.+): (done|failed)$/.exec(event.text);
    const name = deployment ? `${deployment[1]}${deployment[2] === 'failed' ? ' failed' : ''}` : 'first boot';
    found.push({name, begin: from, end: at, kind: deployment ? 'agent' : 'boot', failed: deployment?.[2] === 'failed'});
    from = at;
  }
  const own = found.filter((bar) => bar.kind === 'agent');
  if (own.length <= mostDeployments) return found;
  const failed = own.filter((bar) => bar.failed).length;
  const together = {name: `${own.length} deployments${failed ? `, ${failed} failed` : ''}`, begin: own[0].begin, end: own.at(-1).end, kind: 'agent', failed: failed > 0};
  return [...found.filter((bar) => bar.kind !== 'agent'), together];
}

/** What a boot file is, by the names that boot servers give them. */
function fileKind(boot) {
  const name = boot.what.toLowerCase();
  if (boot.protocol === 'dhcp') return 'DHCP';
  if (/ramdisk|initr/.test(name)) return 'ramdisk';
  if (/kernel|vmlinuz/.test(name)) return 'kernel';
  if (/\.efi|pxelinux|grub|ipxe|\.0$|\.cfg|\.lkrn/.test(name)) return 'loader';
  return /images\/|\.raw|\.qcow2/.test(name) ? 'image' : 'other files';
}

function bars(node, work) {
  const found = [];
  let open = null;
  for (const event of work.events) {
    if (event.kind !== 'stage') continue;
    if (open) open.end = Date.parse(event.at);
    open = {name: words(event.text.replace(/^[^:]*: /, '').replace(/ \(.*\)$/, '')), begin: Date.parse(event.at), end: work.done, kind: 'stage'};
    found.push(open);
  }
  const asked = new Map();
  for (const boot of node.boots ?? []) {
    const end = Date.parse(boot.at);
    if (end < work.begin || end > work.done + 1000) continue;
    const name = fileKind(boot);
    const begin = end - 1000 * boot.seconds;
    const known = asked.get(name);
    if (known && name === 'DHCP' && asked.size > 1) continue; // iPXE and the ramdisk ask again; that is no slow answer
    if (known) known.end = Math.max(known.end, end);
    else asked.set(name, {name, begin, end, kind: 'asked'});
  }
  return [...found, ...asked.values(), ...systemBars(work)].sort((a, b) => a.begin - b.begin);
}

const short = (milliseconds) => (milliseconds < 10000 ? `${(milliseconds / 1000).toFixed(1)} s` : span(milliseconds));

/** Of a node that is active: why nothing was heard of its system, or can be; null where something was. */
export function silence(node) {
  const work = node.state === 'active' ? lastWork(node.events) : null;
  if (!work || work.system.length) return null;
  const {metadata, addresses} = node.heard;
  if (!metadata && !addresses) {
    return 'How its own system came up can’t be known here: this conductor gives machines neither addresses (node serve --boot) nor metadata (--engine).';
  }
  const ways = [addresses && 'its machine’s DHCP request', metadata && 'its agent’s question for metadata, where a stack of this conductor’s engine made them'].filter(Boolean);
  return `Nothing was heard of its own system yet. What would be: ${ways.join('; ')}.`;
}

/** Nothing where no work is known. */
export function timeline(node) {
  const work = lastWork(node.events);
  const rows = work ? bars(node, work) : [];
  if (rows.length === 0) return null;
  const whole = Math.max(1, work.end - work.begin);
  const list = h('ol', {class: 'timeline', 'aria-label': `The way through ${work.name}, on one axis of time`});
  for (const row of rows) {
    const bar = h('span', {class: `lap ${row.kind === 'asked' ? 'asked' : ''}`, 'data-kind': row.failed ? 'failed' : row.kind, 'aria-hidden': 'true'});
    bar.style.insetInlineStart = `${Math.max(0, 100 * (row.begin - work.begin) / whole)}%`;
    bar.style.inlineSize = `${Math.min(100, 100 * (row.end - row.begin) / whole)}%`;
    list.append(h('li', {}, h('span', {}, row.name), h('span', {class: 'track'}, bar),
      h('time', {class: 'under', datetime: new Date(row.begin).toISOString()}, clockTime(row.begin)),
      h('span', {class: 'under'}, short(Math.max(0, row.end - row.begin)))));
  }
  return h('section', {}, h('h3', {}, `${work.name}: ${short(work.end - work.begin)}${work.goesOn ? ', goes on' : ''}`), list);
}
