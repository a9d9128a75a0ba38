import { element, show } from './elements.js'

/** @typedef {import('../src/request-log.ts').RequestRecord} RequestRecord */

/** How many requests the page shows. */
const shownRequests = 200

/** @type {Map<number, RequestRecord>} */
const records = new Map()

/** Removes all requests. */
export function forgetRequests() {
  records.clear()
}

/**
 * Adds or updates requests and shows the newest first.
 *
 * @param {HTMLElement} list
 * @param {readonly RequestRecord[]} changed
 */
export function showRequests(list, changed) {
  for (const record of changed) records.set(record.id, record)
  const newest = [...records.values()].sort((a, b) => b.id - a.id).slice(0, shownRequests)
  records.clear()
  for (const record of newest) records.set(record.id, record)
  show(list, newest, ({ id }) => String(id), renderRequest)
}

/**
 * @param {RequestRecord} record
 * @returns {HTMLElement}
 */
function renderRequest(record) {
  const { at, method, operation, path, faults, headers, body } = record
  const what = element('span', {}, element('span', { className: 'what' }, operation ?? 'no operation'))
  what.append(element('code', { className: 'path', title: path }, path))
  if (faults.length > 0)
    what.append(element('span', { className: 'fault-note' }, `fault: ${faults.join(' + ')}`))
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
