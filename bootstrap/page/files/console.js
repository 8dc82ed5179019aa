// A machine's serial console: what it says, as it comes, and a keyboard for one person at a time. Keys are sent as they are
// pressed and kept nowhere.
import {call, readWithToken, withToken} from './actions.js';
import {h, put} from './dom.js';
import {Screen} from './screen.js';
import {title} from './store.js';

const everySoOften = 1500;
const soon = 150; // after a key: its echo

let shown = {id: null};

async function look(one) {
  if (one !== shown || !one.box.open || !one.box.isConnected || (document.hidden && !one.keyboard)) return;
  try {
    const {keyboard} = one;
    const query = new URLSearchParams({...(one.end === undefined ? {} : {from: one.end}), ...(keyboard ? {keyboard} : {})});
    const answer = await readWithToken(`/v1/hearth/consoles/${one.id}?${query}`);
    if (!answer) return;
    if (!answer.ok) {
      const told = JSON.parse((await answer.json()).error_message);
      one.above.textContent = told.faultstring;
      return;
    }
    const {from, end, text, typist, yours} = await answer.json();
    tellTypist(one, typist, yours || keyboard !== one.keyboard);
    if (from !== one.end) one.screen = new Screen();
    one.end = end;
    one.screen.write(text);
    if (text || !one.lines.textContent || from === 0) draw(one);
  } catch { /* the conductor is away: the page says so elsewhere */ }
}

function draw(one) {
  const atEnd = one.lines.scrollTop + one.lines.clientHeight >= one.lines.scrollHeight - 8;
  one.screen.draw(one.above, one.shown, Boolean(one.keyboard));
  if (atEnd) one.lines.scrollTop = one.lines.scrollHeight;
}

const word = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

function say(one, text, kind = '') {
  if (one.note.textContent !== text) one.note.textContent = text;
  one.note.className = kind ? `note ${kind}` : 'under';
}

/** `yours`: the keyboard that was asked about is yours still, or another by now. */
function tellTypist(one, typist, yours) {
  if (one.keyboard && !yours) stopped(one, 'You no longer type here: the console has ended, or nothing was typed for five minutes.', 'held');
  if (one.keyboard) return;
  one.begin.disabled = Boolean(typist);
  if (typist) say(one, `${typist} types here; one at a time.`, 'waiting');
  else if (one.note.classList.contains('waiting')) say(one, '');
}

function stopped(one, text, kind) {
  const hadFocus = one.typing.contains(document.activeElement);
  one.keyboard = null;
  draw(one);
  one.typing.hidden = true;
  one.begin.hidden = false;
  say(one, text, kind);
  if (hadFocus) one.begin.focus();
}

async function begin(one) {
  const keyboard = word();
  try {
    await call('PUT', `hearth/consoles/${one.id}`, {keyboard});
    one.keyboard = keyboard;
    draw(one);
    one.typing.hidden = false;
    one.begin.hidden = true;
    say(one, 'You type to the machine. Ctrl-] or Stop gives the keyboard back.', 'held');
    one.keys.focus();
  } catch (error) {
    say(one, error.message, 'failed');
  }
}

async function giveBack(one) {
  try {
    await call('DELETE', `hearth/consoles/${one.id}?keyboard=${one.keyboard}`);
  } catch { /* it ends by itself */ }
}

function stop(one) {
  if (!one.keyboard) return;
  giveBack(one);
  stopped(one, 'You have given the keyboard back.', '');
}

/** In the order of the keys, one request at a time. */
function type(one, text) {
  if (!one.keyboard || !text) return;
  one.waiting = (one.waiting ?? '') + text;
  one.sending ??= (async () => {
    while (one.waiting && one.keyboard) {
      const part = one.waiting.slice(0, /[\ud800-\udbff]/.test(one.waiting.charAt(999)) ? 999 : 1000); // whole characters
      one.waiting = one.waiting.slice(part.length);
      try {
        await call('PUT', `hearth/consoles/${one.id}`, {keyboard: one.keyboard, text: part});
      } catch (error) {
        giveBack(one); // so that others, and this page again, can take it at once
        stopped(one, error.message, 'failed');
      }
    }
    one.waiting = '';
    one.sending = null;
    setTimeout(() => look(one), soon);
  })();
}

const named = {Enter: '\r', Backspace: '\x7f', Tab: '\t', Escape: '\x1b', ArrowUp: '\x1b[A', ArrowDown: '\x1b[B', ArrowRight: '\x1b[C',
  ArrowLeft: '\x1b[D', Home: '\x1b[H', End: '\x1b[F', Delete: '\x1b[3~', PageUp: '\x1b[5~', PageDown: '\x1b[6~', Insert: '\x1b[2~',
  F1: '\x1bOP', F2: '\x1bOQ', F3: '\x1bOR', F4: '\x1bOS', F6: '\x1b[17~', F7: '\x1b[18~', F8: '\x1b[19~', F9: '\x1b[20~', F10: '\x1b[21~'}; // F5, F11 and F12 are the browser's

/** What a terminal sends for a key; nothing where text comes by itself, or the browser has a use for it. */
function sent(event) {
  if (event.isComposing || event.metaKey) return null;
  if (event.ctrlKey && !event.altKey && event.key.length === 1) {
    const code = event.key.toUpperCase().charCodeAt(0);
    if (event.shiftKey && 'CV'.includes(event.key.toUpperCase())) return null; // copy and paste
    return code >= 64 && code < 96 ? String.fromCharCode(code - 64) : null;
  }
  if (event.ctrlKey) return null;
  const keys = named[event.key] ?? null;
  return keys && event.altKey ? null : keys;
}

function keysOf(one) {
  const keys = h('textarea', {rows: 1, class: 'keys', 'aria-label': `Type to ${one.name}; Control and right bracket stops`, autocapitalize: 'off',
    autocomplete: 'off', autocorrect: 'off', spellcheck: 'false', placeholder: 'keys go to the machine'});
  keys.addEventListener('keydown', (event) => {
    const text = sent(event);
    if (text === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (text === '\x1d') stop(one);
    else type(one, one.screen.keysOfApplications ? text.replace(/^\x1b\[([A-DHF])$/, '\x1bO$1') : text);
  });
  keys.addEventListener('input', (event) => {
    if (event.isComposing) return;
    type(one, keys.value.replace(/\r?\n/g, '\r'));
    keys.value = '';
  });
  keys.addEventListener('compositionend', () => {
    type(one, keys.value);
    keys.value = '';
  });
  return keys;
}

const buttons = [['Ctrl-C', '\x03'], ['Ctrl-D', '\x04'], ['Esc', '\x1b'], ['Tab', '\t'], ['↑', '\x1b[A', 'Up'], ['↓', '\x1b[B', 'Down'], ['F2', '\x1bOQ'], ['F10', '\x1b[21~'],
  ['F11', '\x1b[23~'], ['F12', '\x1b[24~'], ['Enter', '\r']];

/** A BMC's console that is off: why, and the way to it. */
function switchOn(node) {
  const text = node.console.why === 'console_interface'
    ? `Not set up: hearth node set ${title(node)} --console-interface ipmitool-socat`
    : node.console.why || 'It is off: the conductor has no session with the BMC.';
  return h('div', {}, h('p', {class: 'under'}, text), node.console.why ? null :
    h('button', {type: 'button', 'data-needs': 'operate', onclick: () => withToken(() => call('PUT', `nodes/${node.id}/states/console`, {enabled: true}))}, 'Switch the console on'));
}

/** The element for a node; the same one as long as it is the same node, so that it stays open and where it was. */
export function consoleOf(node) {
  if (!node.console) return null;
  const id = `${node.id} ${node.console.on}`;
  if (shown.key === id) return shown.box;
  clearInterval(shown.timer);
  stop(shown);
  const one = {key: id, id: node.id, name: title(node), screen: new Screen()};
  shown = one;
  if (!node.console.on) {
    one.box = h('details', {class: 'log', 'data-needs': 'operate'}, h('summary', {}, 'Serial console'), switchOn(node));
    return one.box;
  }
  one.above = h('span');
  one.shown = h('span', {class: 'screen'});
  one.lines = h('pre', {class: 'terminal', tabindex: '0', role: 'log', 'aria-live': 'off', 'aria-label': 'Serial console'}, one.above, one.shown);
  one.note = h('p', {class: 'under', role: 'status'});
  one.begin = h('button', {type: 'button', 'data-needs': 'operate', onclick: () => withToken(() => begin(one))}, 'Type');
  one.keys = keysOf(one);
  one.typing = h('div', {class: 'typing', role: 'group', 'aria-label': 'Keyboard', hidden: true}, one.keys,
    ...buttons.map(([label, keys, spoken]) => h('button', {type: 'button', 'aria-label': spoken, onclick: () => {
      type(one, keys);
      one.keys.focus();
    }}, label)), h('button', {type: 'button', class: 'danger', onclick: () => stop(one)}, 'Stop'));
  const off = node.console.kind === 'bmc' ? h('button', {type: 'button', 'data-needs': 'operate',
    onclick: () => withToken(() => call('PUT', `nodes/${node.id}/states/console`, {enabled: false}))}, 'Switch the console off') : null;
  const tools = put(h('div', {class: 'actions'}), one.begin, off);
  one.box = h('details', {class: 'log', 'data-needs': 'operate', ontoggle: () => (one.box.open ? withToken(() => look(one)) : stop(one))},
    h('summary', {}, 'Serial console'), one.lines, one.note, one.typing, tools);
  one.timer = setInterval(() => look(one), everySoOften);
  return one.box;
}

/** The sheet is closed: nobody types any more. */
export const leaveConsole = () => stop(shown);
