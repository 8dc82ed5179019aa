// The images that this site can write, and what they are known by.
import {$, compare, h, put} from './dom.js';
import {imagesView} from './store.js';

const link = (source) => (/^https?:\/\//.test(source) ? h('a', {href: source, rel: 'noreferrer'}, source) : source || '–');

const row = (image) => h('tr', {}, h('th', {scope: 'row'}, image.name), h('td', {}, image.format || '–'),
  h('td', {}, image.boots ? 'yes' : 'no'), h('td', {}, link(image.source)),
  h('td', {}, image.digest ? h('code', {}, `${image.digest_kind}:${image.digest}`) : 'none: it is not written'));

async function draw() {
  const images = await imagesView();
  if (!images) return;
  put($('#images'), images.length === 0 ? h('p', {class: 'card'}, 'No image is registered: hearth image load FILE') :
    h('div', {class: 'card scroll'}, h('table', {class: 'plain'}, h('caption', {}, 'Images'),
      h('thead', {}, h('tr', {}, ['Image', 'Format', 'Boots a ramdisk', 'Machines fetch it from', 'Digest'].map((head) => h('th', {scope: 'col'}, head)))),
      h('tbody', {}, [...images].sort((a, b) => compare(a.name, b.name)).map(row)))));
}

export function startImages() {
  const look = () => {
    if (!$('#images').hidden && !document.hidden) draw();
  };
  $('#tab-images').addEventListener('click', look);
  $('#tab-images').addEventListener('focus', look);
}
