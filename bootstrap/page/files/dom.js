// Elements, times and numbers. Everything that is shown goes through text nodes: no markup is ever made of strings.

export const $ = (selector, within = document) => within.querySelector(selector);

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/** h('p', {class: 'x', onclick: f}, 'text', element, …) */
export const h = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);

/** The element's children are these; what is not there (null) is left out. */
export function put(element, ...children) {
  element.replaceChildren();
  return fill(element, {}, children);
}

export const svg = (tag, properties, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), properties, children);

let clockOffset = 0; // ours behind the conductor's, in milliseconds

export function setClock(now) {
  clockOffset = Date.parse(now) - Date.now();
}

export const conductorNow = () => Date.now() + clockOffset;

export function span(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor(seconds / 3600) % 24} h`;
}

function relative(at, form) {
  const text = span(Math.abs(conductorNow() - Date.parse(at)));
  if (form === 'until') return Date.parse(at) > conductorNow() ? `${text} left` : `${text} overdue`;
  return form === 'ago' ? `${text} ago` : text;
}

/** A time that keeps itself true. form: '' "3 min", 'ago', 'until'. */
export function when(at, form = '') {
  if (!at) return h('span', {class: 'none'}, '–');
  return h('time', {datetime: at, 'data-form': form, title: new Date(at).toLocaleString()}, relative(at, form));
}

export function keepTimes() {
  setInterval(() => {
    if (document.hidden) return;
    for (const time of document.querySelectorAll('time[data-form]')) {
      const text = relative(time.dateTime, time.dataset.form);
      if (time.textContent !== text) time.textContent = text;
    }
  }, 1000);
}

export function clockTime(at) {
  const date = new Date(at);
  const two = (n) => String(n).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

// What an event tells, and who did it, where a person has.
export const said = (event) => (event.who ? `${event.text} (${event.who})` : event.text);

export function bytes(count) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  for (; count >= 1000 && unit < units.length - 1; ++unit) count /= 1000;
  return `${count.toFixed(unit > 1 && count < 10 ? 1 : 0)} ${units[unit]}`;
}

const order = new Intl.Collator(undefined, {numeric: true, sensitivity: 'base'});
export const compare = (a, b) => order.compare(a, b);
