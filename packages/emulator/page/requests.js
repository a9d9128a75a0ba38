import { element, show } from './elements.js'

/** @typedef {import('../src/request-log.ts').RequestRecord} RequestRecord */

/**
 * @param {HTMLElement} list
 * @param {readonly RequestRecord[]} records
 */
export function showRequests(list, records) {
  show(list, records, ({ id }) => String(id), renderRequest)
}

/**
 * @param {RequestRecord} record
 * @returns {HTMLElement}
 */
function renderRequest(record) {
  const { at, method, operation, path, faults, refusedToken, headers, body } = record
  const what = element('span', {}, element('span', { className: 'what' }, operation ?? 'no operation'))
  what.append(element('code', { className: 'path', title: path }, path))
  if (faults.length > 0)
    what.append(element('span', { className: 'fault-note' }, `fault: ${faults.join(' + ')}`))
  if (refusedToken !== null) what.append(element('span', { className: 'fault-note' }, refusedToken))
  return element(
    'li',
    {},
    element(
      'details',
      {},
      element(
        'summary',
        { 'data-focus': `request ${record.id}` },
        element(
          'time',
          { className: 'when', dateTime: at },
          new Date(at).toLocaleTimeString([], { hour12: false }),
        ),
        element('span', { className: 'method' }, method),
        what,
        renderOutcome(record),
      ),
      element('pre', {}, detailsOf(headers, body)),
    ),
  )
}

/**
 * @param {RequestRecord['headers']} headers
 * @param {unknown} body
 */
function detailsOf(headers, body) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return body === null ? lines.join('\n') : [...lines, '', JSON.stringify(body, null, 2)].join('\n')
}

/**
 * @param {RequestRecord} record
 * @returns {HTMLElement}
 */
function renderOutcome({ status, outcome }) {
  if (outcome === 'pending')
    return element('span', { className: 'outcome', 'data-tone': 'pending' }, 'waiting')
  if (outcome === 'cut' || status === null) {
    return element('span', { className: 'outcome', 'data-tone': 'bad' }, 'cut')
  }
  const tone = status < 300 ? 'good' : status < 500 ? 'warn' : 'bad'
  return element('span', { className: 'outcome', 'data-tone': tone }, String(status))
}
