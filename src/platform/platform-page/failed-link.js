// What a link shows that leads nowhere: what was not found, and the way back to a list.

import { element } from '../../http-server/page-assets/elements.js';

const titles = new Map([
  [400, 'This link was not understood'],
  [403, 'Not allowed'],
  [404, 'Not found'],
  [422, 'This link was not understood'],
]);

/** The lists of a project, by the views of one thing in them. */
const listsOfProject = new Map([
  ['image', 'images'],
  ['annotate', 'images'],
  ['agreement', 'jobs'],
  ['evaluation', 'evaluations'],
  ['evaluations', 'evaluations'],
  ['judged', 'evaluations'],
  ['comparison', 'evaluations'],
  ['training', 'trainings'],
  ['versions', 'versions'],
]);

/**
 * @param {string} hash of the address
 * @param {number} status of the answer; -1: it is the page that failed
 * @param {string} words what the platform says
 */
export function failedLink(hash, status, words) {
  const [place = '', query = ''] = hash.slice(1).split('?');
  const links = wayBack(place.split('/'), query !== '');
  return {
    title: titles.get(status) ?? 'This page failed',
    content: element(
      'div',
      { class: 'stack' },
      element('p', { class: 'bad', role: 'alert' }, words),
      element(
        'p',
        {},
        'The link may be mistyped or of another workspace, or what it names was deleted. Go on with:',
      ),
      element(
        'ul',
        {},
        ...links.map(([href, name]) => element('li', {}, element('a', { href }, name))),
      ),
    ),
  };
}

/**
 * The nearest list first. Its parts are percent-encoded, as they stand in the address.
 * @param {readonly string[]} parts
 * @param {boolean} isNarrowed
 * @returns {[href: string, words: string][]}
 */
function wayBack([name = '', id = '', part = '', one], isNarrowed) {
  /** @type {[string, string]} */
  const projects = ['#projects', 'All projects'];
  if (name === 'event') {
    return [
      [`#events/${id}`, 'The events of this use case'],
      ['#events', 'All use cases'],
    ];
  }
  if (name === 'events' && id !== '') return [['#events', 'All use cases']];
  if (name !== 'project') {
    return isNarrowed ? [[`#${name}`, 'The list without conditions'], projects] : [projects];
  }
  const place = `#project/${id}`;
  const list = one === undefined ? undefined : listsOfProject.get(part);
  if (list !== undefined) {
    return [[`${place}/${list}`, `The ${list} of this project`], projects];
  }
  return part === '' ? [projects] : [[place, 'The project'], projects];
}
