import { ask } from './control.js'
import { byId } from './elements.js'
import { prepareFaultForm, showFaults } from './faults.js'
import { showLicenses } from './licenses.js'
import { showRequests } from './requests.js'

/** @typedef {import('../src/live-page.ts').LiveContent} LiveContent */

/** Milliseconds between two questions for the content. */
const everyMs = 250

/** @param {LiveContent} content */
function showContent({ baseUrl, format, licenses, licenseCount, faults, requests }) {
  byId('base-url', HTMLElement).textContent = baseUrl
  byId('license-count', HTMLElement).textContent =
    licenseCount > licenses.length ? `newest ${licenses.length} of ${licenseCount}` : String(licenseCount)
  byId('format', HTMLElement).textContent = format === 'commerce' ? '' : format
  showLicenses(byId('licenses', HTMLUListElement), licenses)
  showFaults(byId('faults', HTMLUListElement), faults)
  showRequests(byId('requests', HTMLOListElement), requests)
  byId('request-count', HTMLElement).textContent = requests.length > 0 ? String(requests.length) : ''
  byId('no-requests', HTMLElement).hidden = requests.length > 0
}

/** @param {'live' | 'connecting'} state @param {string} text */
function showConnection(state, text) {
  const connection = byId('connection', HTMLParagraphElement)
  if (connection.textContent === text) return
  connection.dataset['state'] = state
  connection.textContent = text
}

async function keepShowing() {
  try {
    const answer = await fetch('/_control/live')
    showContent(await answer.json())
    showConnection('live', 'Live')
  } catch {
    showConnection('connecting', 'Down, trying again')
  }
  setTimeout(keepShowing, everyMs)
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
void keepShowing()
