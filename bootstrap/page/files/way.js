// How far a node has come: its states on one line from the inventory to the running machine.
import {h} from './dom.js';

const stops = ['enrolled', 'manageable', 'available', 'deploying', 'active'];
const places = {
  enroll: 0, verifying: 0, manageable: 1, inspecting: 1, 'inspect wait': 1, 'inspect failed': 1, adopting: 1,
  'adopt failed': 1, cleaning: 2, 'clean wait': 2, 'clean failed': 2, 'clean hold': 2, available: 2, deleting: 2,
  deploying: 3, 'wait call-back': 3, 'deploy failed': 3, 'deploy hold': 3, error: 3,
};

/** Where its state stands among the stops. */
export const placeOf = (state) => places[state] ?? 4;

/** One word for colour and shape: new, ready, active, working, waiting, failed, held. */
export function lookOf(node) {
  if (node.kind === 'failed' || (node.state === 'error' && node.kind !== 'held')) return 'failed';
  if (node.kind !== 'stable') return node.kind;
  if (node.state === 'active') return 'active';
  if (node.state === 'rescue') return 'held';
  return node.state === 'available' ? 'ready' : 'new';
}

export const lookNames = {
  active: 'Active', working: 'At work', waiting: 'Waiting for the machine', failed: 'Failed', held: 'Held',
  ready: 'Available', new: 'Not yet available',
};

const glyphs = {active: '●', working: '◐', waiting: '◔', failed: '✕', held: '‖', ready: '○', new: '◇'};

/** The mark of a look: told apart by shape, not by colour alone. */
export const mark = (look) => h('span', {class: `mark ${look}`, 'aria-hidden': 'true'}, glyphs[look]);

export function badge(node) {
  const look = lookOf(node);
  return h('span', {class: `badge ${look}`}, mark(look), node.state);
}

/** From 0 to 1; of the image when it is being written, else of the stages; nothing when there is no work. */
export function progressOf(node) {
  const p = node.progress;
  const whole = p && (p.total || p.to_fetch);
  if (whole && node.job?.stage === 'write image') return Math.min(1, (p.total ? p.written : p.fetched) / whole);
  if (!node.job) return null;
  const at = node.job.stages.indexOf(node.job.stage);
  return at < 0 ? null : at / Math.max(1, node.job.stages.length - 1);
}

export const words = (stage) => stage.replaceAll('_', ' ');

export function stageText(node) {
  if (!node.job) return '';
  const at = node.job.stages.indexOf(node.job.stage);
  const step = at < 0 ? '' : ` (${at + 1} of ${node.job.stages.length})`;
  return `${node.job.kind}: ${words(node.job.stage)}${step}`;
}

/** The line of stops; `large` with their names. */
export function wayLine(node, large = false) {
  const place = placeOf(node.state);
  const look = lookOf(node);
  const list = h('ol', {class: `way ${look}${large ? ' large' : ''}`, 'aria-label': `${stops[place]}, ${node.state}`});
  stops.forEach((stop, i) => {
    const part = i < place ? 'past' : i === place ? 'here' : 'ahead';
    list.append(h('li', {class: part, 'aria-current': i === place ? 'step' : null},
      h('span', {class: large ? '' : 'hidden'}, stop)));
  });
  return list;
}

export function progressBar(node) {
  const part = progressOf(node);
  if (part === null) return null;
  const percent = Math.round(part * 100);
  const bar = h('div', {
    class: `progress ${lookOf(node)}`, role: 'progressbar', 'aria-valuemin': 0, 'aria-valuemax': 100,
    'aria-valuenow': percent, 'aria-label': stageText(node),
  }, h('span', {}));
  bar.firstChild.style.inlineSize = `${percent}%`;
  return bar;
}
