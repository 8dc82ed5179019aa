// What a machine that the conductor runs itself says on its serial console, as it comes.
import {readWithToken, withToken} from './actions.js';
import {h} from './dom.js';

const everySoOften = 1500;
const kept = 200000; // characters

let shown = {id: null};

const escapes = new RegExp(['\\x1b\\[[0-?]*[ -/]*[@-~]', // CSI: ECMA-48, 5.4
  '\\x1b\\][^\\x07\\x1b\\n]*(?:\\x07|\\x1b\\\\)?', // OSC: titles, links
  '\\x1b[PX^_][^\\x1b\\n]*(?:\\x1b\\\\)?', // strings for the terminal itself
  '\\x1b[ -/]+[0-~]', '\\x1b[^[]'].join('|'), 'g');
const unseen = /[^\n\t\x20-\x7e\xa0-\uffff]|[\u202a-\u202e\u2066-\u2069]/g; // controls, and what turns the direction of text

/** What stands there at last: without what moves a terminal's cursor and colours its letters, nor what a line wrote over. */
const plain = (text) => text.replace(escapes, '').replace(/\r+\n/g, '\n').replace(/[^\n]*\r(?=[^\n])/g, '').replace(unseen, '');

async function look(one) {
  if (one !== shown || !one.box.open || !one.box.isConnected || document.hidden) return;
  try {
    const answer = await readWithToken(`console/${one.id}${one.end === undefined ? '' : `?from=${one.end}`}`);
    if (!answer) return;
    if (!answer.ok) one.lines.textContent = await answer.text();
    if (!answer.ok) return;
    const {from, end, text} = await answer.json();
    if (from !== one.end) one.text = '';
    one.end = end;
    if (!text && one.lines.textContent) return;
    const atEnd = one.lines.scrollTop + one.lines.clientHeight >= one.lines.scrollHeight - 8;
    one.text = (one.text + text).slice(-kept);
    one.lines.textContent = plain(one.text);
    if (atEnd) one.lines.scrollTop = one.lines.scrollHeight;
  } catch { /* the conductor is away: the page says so elsewhere */ }
}

/** The element for a node; the same one as long as it is the same node, so that it stays open and where it was. */
export function consoleOf(node) {
  if (!node.console) return null;
  if (shown.id === node.id) return shown.box;
  clearInterval(shown.timer);
  const lines = h('pre', {tabindex: '0', role: 'log', 'aria-live': 'off', 'aria-label': 'Serial console'});
  const one = {id: node.id, text: '', lines};
  one.box = h('details', {class: 'log', ontoggle: () => one.box.open && withToken(() => look(one))}, h('summary', {}, 'Serial console'), lines);
  one.timer = setInterval(() => look(one), everySoOften);
  shown = one;
  return one.box;
}
