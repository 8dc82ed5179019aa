// One action for many nodes: who gets it and who does not is shown first; each answer is shown as it comes.
import {$, compare, h} from './dom.js';
import {call, warnings, withToken} from './actions.js';
import {title} from './store.js';

const verbs = ['manage', 'inspect', 'provide', 'deploy', 'rebuild', 'unhold', 'abort', 'undeploy'];
const deeds = new Map([
  ...verbs.map((verb) => [verb, {fits: (node) => node.verbs.includes(verb), go: (node) => call('PUT', `nodes/${node.id}/states/provision`, {target: verb})}]),
  ['switch on', {fits: (node) => node.power !== 'power on', go: (node) => call('PUT', `nodes/${node.id}/states/power`, {target: 'power on'})}],
  ['switch off', {warning: 'power off', fits: (node) => node.power === 'power on', go: (node) => call('PUT', `nodes/${node.id}/states/power`, {target: 'power off'})}],
]);

const counted = (count) => `${count} ${count === 1 ? 'node' : 'nodes'}`;

/** The lines of the preview: those who get it can be left out, the others tell why not. */
function preview(nodes, name) {
  const {fits} = deeds.get(name);
  return nodes.map((node) => (fits(node)
    ? h('li', {}, h('label', {}, h('input', {type: 'checkbox', checked: true, value: node.id}), ` ${title(node)} `, h('span', {class: 'under'}, node.state)))
    : h('li', {class: 'none'}, `${title(node)}: not while it is ${node.state}${name.startsWith('switch') ? `, ${node.power ?? 'power unknown'}` : ''}`)));
}

async function goThrough(name, lines, nodes) {
  for (const line of lines) {
    const box = $('input', line);
    if (!box?.checked) continue;
    const node = nodes.find((each) => each.id === box.value);
    const outcome = h('span', {class: 'under'}, ' …');
    line.append(outcome);
    try {
      await deeds.get(name).go(node);
      outcome.textContent = ' ✓ begun';
    } catch (error) {
      outcome.className = 'note failed';
      outcome.textContent = ` ✕ ${error.message}`;
    }
    box.disabled = true;
  }
}

function openDialog(shown) {
  const nodes = [...shown].sort((a, b) => compare(title(a), title(b)));
  const dialog = $('#ask');
  const possible = [...deeds.keys()].filter((name) => nodes.some(deeds.get(name).fits));
  const choice = h('select', {id: 'bulk-deed'}, possible.map((name) => h('option', {value: name}, name)));
  const list = h('ul', {class: 'preview', tabindex: '0', 'aria-label': 'Who gets it'});
  const warning = h('p', {class: 'note held'});
  const ok = h('button', {type: 'submit', class: 'main'});
  const count = () => {
    const chosen = list.querySelectorAll('input:checked:not(:disabled)').length;
    ok.textContent = `${choice.value}: ${counted(chosen)}`;
    ok.disabled = chosen === 0;
  };
  const draw = () => {
    list.replaceChildren(...preview(nodes, choice.value));
    const text = warnings[deeds.get(choice.value)?.warning ?? choice.value];
    warning.hidden = !text;
    warning.textContent = text ?? '';
    ok.className = text ? 'danger' : 'main';
    count();
  };
  choice.addEventListener('change', draw);
  list.addEventListener('change', count);
  dialog.replaceChildren(h('form', {
    onsubmit: async (event) => {
      event.preventDefault();
      ok.disabled = choice.disabled = true;
      await goThrough(choice.value, [...list.children], nodes);
      ok.hidden = true;
    },
  }, h('h2', {id: 'ask-title'}, `One action for ${counted(nodes.length)}`), h('label', {for: 'bulk-deed'}, 'Action', choice), warning, list,
  h('div', {class: 'buttons'}, h('button', {type: 'button', onclick: () => dialog.close()}, 'Close'), ok)));
  draw();
  if (!dialog.open) dialog.showModal();
  choice.focus();
}

/** `shown()`: the nodes that the filter shows now. */
export function startBulk(shown) {
  $('#bulk').addEventListener('click', () => withToken(() => openDialog(shown())));
}
