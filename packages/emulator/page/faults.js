import { ask } from './control.js'
import { byId, element, show } from './elements.js'

/** @typedef {import('../src/faults/fault-rules.ts').InjectedFault} InjectedFault */
/** @typedef {import('../src/faults/fault.ts').Fault & { when?: 'after-acting' }} Preset */

/** @type {Record<string, Preset>} */
const presets = {
  'connection reset': { fault: 'reset' },
  'connection reset, after acting': { fault: 'reset', when: 'after-acting' },
  'no answer, ever': { fault: 'timeout' },
  'no answer, but it acted': { fault: 'timeout', when: 'after-acting' },
  'answer 2 s late': { fault: 'delay', delayMs: 2000 },
  'answer trickles in': { fault: 'slow-drip' },
  '401 unauthorized': { fault: 'status', status: 401 },
  '429, come back tomorrow': { fault: 'status', status: 429, retryAfterSeconds: 86_400 },
  '500 server error': { fault: 'status', status: 500 },
  '503 unavailable': { fault: 'status', status: 503 },
  'a Wi-Fi login page with 200': { fault: 'html' },
  'an empty 200': { fault: 'empty' },
  'JSON cut short': { fault: 'truncated' },
  'connection lost in the middle': { fault: 'cut' },
  'redirect to nowhere': { fault: 'redirect', to: 'http://elsewhere.invalid' },
  'a body of 50 MiB': { fault: 'huge-body' },
  'a clock a day behind': { fault: 'date-shift', shiftMs: -86_400_000 },
}

const operations = ['activate', 'validate', 'deactivate', 'keys', 'key', 'customers', 'discounts']

/** Fills the form and connects it to the control API. */
export function prepareFaultForm() {
  const kind = byId('fault-kind', HTMLSelectElement)
  const operation = byId('fault-operation', HTMLSelectElement)
  const times = byId('fault-times', HTMLSelectElement)
  kind.append(...Object.keys(presets).map((name) => element('option', {}, name)))
  operation.append(element('option', { value: '' }, 'everywhere'))
  operation.append(...operations.map((name) => element('option', {}, name)))
  byId('fault-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault()
    void ask('POST', '/faults', {
      ...presets[kind.value],
      ...(operation.value !== '' && { operation: operation.value }),
      ...(times.value !== '' && { times: Number(times.value) }),
    })
  })
}

/**
 * @param {HTMLElement} list
 * @param {readonly InjectedFault[]} faults
 */
export function showFaults(list, faults) {
  show(list, faults, ({ id }) => String(id), renderFault)
}

/**
 * @param {InjectedFault} injected
 * @returns {HTMLElement}
 */
function renderFault({ id, rule, struck }) {
  const { fault, operation, times, when, ...rest } = rule
  const details = Object.entries(rest).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  if (when !== undefined) details.push(when)
  const where = operation === undefined ? 'everywhere' : [operation].flat().join(', ')
  return element(
    'li',
    {},
    element(
      'span',
      { className: 'grow' },
      element('strong', {}, fault),
      ` ${[where, ...details].join(' · ')}`,
    ),
    element(
      'span',
      { className: 'when' },
      times === undefined ? `applied ${struck}×` : `applied ${struck} of ${times}`,
    ),
    element(
      'button',
      {
        type: 'button',
        className: 'quiet',
        'data-focus': `fault ${id}`,
        'aria-label': `Remove ${fault}`,
        click: () => void ask('DELETE', `/faults/${id}`),
      },
      'Remove',
    ),
  )
}
