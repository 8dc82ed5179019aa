// What the conductor tells, and who is told here. The browser's EventSource comes again by itself, with Last-Event-ID; the
// conductor then sends what was missed.
import {setClock} from './dom.js';

export const site = {
  host: '', version: '', states: {}, nodes: new Map(), events: [], lines: [], stacks: null, hasStacks: false,
};
const keptEvents = 5000;
const keptLines = 1000;
const listeners = new Set();

/** f(change): {all, nodes: [uuid…], removed: [uuid…], events: […new, oldest first], lines, stacks} */
export const onChange = (f) => listeners.add(f);

function tell(change) {
  for (const f of listeners) f(change);
}

function putNodes(rows) {
  for (const row of rows) site.nodes.set(row.id, row);
}

function takeSnapshot(message) {
  setClock(message.now);
  Object.assign(site, {
    host: message.host, version: message.version, states: message.states, events: message.events,
    lines: message.lines, stacks: message.stacks, hasStacks: message.has_stacks, nodes: new Map(),
  });
  putNodes(message.nodes);
  tell({all: true, nodes: [...site.nodes.keys()], removed: [], events: [], lines: message.lines, stacks: true});
}

function takeChange(message) {
  setClock(message.now);
  const last = site.events.at(-1)?.id ?? 0;
  const events = message.events.filter((event) => event.id > last);
  if (message.gap) site.events = [];
  site.events.push(...events);
  if (site.events.length > keptEvents) site.events.splice(0, site.events.length - keptEvents);
  site.lines.push(...message.lines);
  if (site.lines.length > keptLines) site.lines.splice(0, site.lines.length - keptLines);
  const stacks = JSON.stringify(message.stacks) !== JSON.stringify(site.stacks);
  site.stacks = message.stacks;
  putNodes(message.nodes);
  for (const id of message.removed) site.nodes.delete(id);
  tell({
    all: Boolean(message.gap), nodes: message.nodes.map((row) => row.id), removed: message.removed, events,
    lines: message.lines, stacks,
  });
}

let askToLogIn = () => {};
let again = () => {};
/** f(): nobody is logged in, so that nothing is told; it may be called more than once. */
export const onLoggedOut = (f) => { askToLogIn = f; };
/** Somebody has logged in: what he may see comes now. */
export const reconnect = () => again();

const needsLogIn = async () => {
  try {
    return (await fetch('events', {method: 'HEAD'})).status === 401;
  } catch {
    return false; // nobody answers: that is not a matter of tokens
  }
};

async function toldHowMany() {
  try {
    const {nodes} = await (await fetch('counts')).json();
    return `${nodes} nodes; log in to see them`;
  } catch {
    return 'Not logged in';
  }
}

/** state(text, kind): how the connection is. */
export function connect(state) {
  const source = new EventSource('events');
  source.addEventListener('open', () => state('Live', 'good'));
  source.addEventListener('snapshot', (event) => takeSnapshot(JSON.parse(event.data)));
  source.addEventListener('change', (event) => takeChange(JSON.parse(event.data)));
  source.addEventListener('error', async () => {
    state('Reconnecting', 'waiting');
    if (source.readyState !== EventSource.CLOSED) return;
    source.close(); // refused: no log-in, too many look on, or something in between answers
    const timer = setTimeout(() => connect(state), 5000);
    again = () => {
      clearTimeout(timer);
      again = () => {};
      connect(state);
    };
    if (!await needsLogIn()) return;
    clearTimeout(timer);
    state(await toldHowMany(), 'waiting');
    askToLogIn();
  });
}

export async function olderEvents() {
  const before = site.events[0]?.id ?? 0;
  const answer = await fetch(`history?before=${before}`);
  const {events} = await answer.json();
  site.events.unshift(...events);
  return events;
}

/** Machines that are no nodes and asked for a network boot. */
export async function waitingMachines() {
  try {
    const answer = await fetch('waiting');
    return answer.ok ? (await answer.json()).waiting : [];
  } catch {
    return []; // the conductor is away: the page says so elsewhere
  }
}

/** The boot servers' networks and leases; null while nobody tells. */
export async function networkView() {
  try {
    const answer = await fetch('network');
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

/** The images that are registered; null while nobody tells. */
export async function imagesView() {
  try {
    const answer = await fetch('images');
    return answer.ok ? (await answer.json()).images : null;
  } catch {
    return null;
  }
}

export const nodeDetails = async (id) => {
  const answer = await fetch(`nodes/${id}`);
  return answer.ok ? answer.json() : null;
};

export const title = (node) => node.name || node.id.slice(0, 8);
