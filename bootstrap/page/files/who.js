// Who one is here, and what his role may do. Elements with data-needs="operate" or "admin" are not shown to lesser roles (page.css);
// those with data-tells say so instead.
import {$, h} from './dom.js';

const may = {
  read: 'look at everything but consoles, passwords and user-data; nothing can be changed',
  operate: 'also move nodes through their states, switch them, set maintenance, use their consoles, and say that work at a machine is done',
  admin: 'also change the inventory, images and roles, and approve machines: everything',
};

export const me = {name: '', may: '', acting: false};

const article = (role) => `${/^[ao]/.test(role) ? 'an' : 'a'} ${{read: 'reader', operate: 'operator', admin: 'administrator'}[role] ?? role}`;

/** "You are ole, an operator (role operate). You may …" */
export const sentence = () => `You are ${me.name}, ${article(me.may)} (role ${me.may}). You may ${may[me.may] ?? 'do nothing'}.`;

/** Why an action is not offered; null where it is. */
export const refusal = (role) => (me.may && !mayDo(role) ? `${role === 'admin' ? 'This takes' : 'To act on nodes takes'} the role ${role}; yours, ${me.name}, is ${me.may}.` : null);

const ranks = ['read', 'operate', 'admin'];
export const mayDo = (role) => !me.may || ranks.indexOf(me.may) >= ranks.indexOf(role);

function show() {
  document.body.dataset.may = me.may;
  const button = $('#lock');
  button.textContent = me.name ? `${me.name} · ${me.may}` : 'Log in';
  button.title = me.name ? `${sentence()}${me.acting || me.may === 'read' ? '' : ' To act, give the token once more.'}` : 'With a token';
  button.setAttribute('aria-label', me.name ? `${me.name}, role ${me.may}${me.acting ? '' : ', looking only'}` : 'Log in');
  document.body.classList.toggle('unlocked', me.acting && me.may !== 'read');
}

/** Asks the conductor; `token`: what the page acts with, or nothing. */
export async function askWhoIAm(token) {
  try {
    const answer = await fetch('/v1/hearth/me', token ? {headers: {'X-Auth-Token': token}} : {});
    const told = answer.ok ? await answer.json() : {name: '', may: ''};
    Object.assign(me, {name: told.name, may: told.may, acting: Boolean(token) && answer.ok});
  } catch { /* the conductor is away: who one was, one is */ }
  show();
}

/** A line that stands where the actions of a role would be. */
export const whyNot = (role) => h('p', {class: 'under', 'data-tells': role}, refusal(role) ?? '');
