import { ask } from './control.js'
import { byId } from './elements.js'
import { prepareFaultForm, showFaults } from './faults.js'
import { showLicenses } from './licenses.js'
import { forgetRequests, showRequests } from './requests.js'

/** @typedef {import('../src/live-page.ts').LiveSnapshot} LiveSnapshot */
/** @typedef {import('../src/request-log.ts').RequestRecord} RequestRecord */

const connection = byId('connection', HTMLParagraphElement)
const requestList = byId('requests', HTMLOListElement)

/** @param {LiveSnapshot} snapshot */
function showSnapshot({ baseUrl, format, licenses, licenseCount, faults, requestCount }) {
  byId('base-url', HTMLElement).textContent = baseUrl
  byId('license-count', HTMLElement).textContent =
    licenseCount > licenses.length ? `newest ${licenses.length} of ${licenseCount}` : String(licenseCount)
  byId('format', HTMLElement).textContent = format === 'commerce' ? '' : format
  showLicenses(byId('licenses', HTMLUListElement), licenses)
  showFaults(byId('faults', HTMLUListElement), faults)
  if (requestCount === 0) forgetRequests()
}

/** @param {readonly RequestRecord[]} changed */
function showChanged(changed) {
  showRequests(requestList, changed)
  const count = requestList.children.length
  byId('request-count', HTMLElement).textContent = count > 0 ? String(count) : ''
  byId('no-requests', HTMLElement).hidden = count > 0
}

/** @param {'live' | 'connecting'} state @param {string} text */
function showConnection(state, text) {
  connection.dataset['state'] = state
  connection.textContent = text
}

function listen() {
  const events = new EventSource('/_control/events')
  events.addEventListener('open', () => {
    showConnection('live', 'Live')
    // Every connection starts with the whole log.
    forgetRequests()
  })
  events.addEventListener('error', () => {
    showConnection('connecting', 'Down, trying again')
    // In some browsers, a refused connection closes an EventSource permanently.
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, 1000)
  })
  events.addEventListener('snapshot', ({ data }) => {
    showSnapshot(JSON.parse(data))
    showChanged([])
  })
  events.addEventListener('requests', ({ data }) => showChanged(JSON.parse(data)))
}

byId('create-license', HTMLButtonElement).addEventListener('click', () => void ask('POST', '/licenses'))
byId('clear-requests', HTMLButtonElement).addEventListener('click', () => void ask('DELETE', '/requests'))
byId('pause', HTMLButtonElement).addEventListener(
  'click',
  () => void ask('POST', '/pause', { forMs: 10_000 }),
)
byId('copy-base-url', HTMLButtonElement).addEventListener(
  'click',
  () => void navigator.clipboard.writeText(byId('base-url', HTMLElement).textContent ?? ''),
)
prepareFaultForm()
listen()
