import { ask } from './control.js'
import { element, show } from './elements.js'

/** @typedef {import('../src/live-page.ts').LiveLicense} LiveLicense */
/** @typedef {import('../src/wire.ts').LicenseKey} LicenseKey */

/** Beyond this number, seats are shown only as a number. */
const drawnSeats = 24

/**
 * @param {HTMLElement} list
 * @param {readonly LiveLicense[]} licenses
 */
export function showLicenses(list, licenses) {
  show(list, licenses, ({ license }) => license.id, renderLicense)
}

/**
 * @param {LiveLicense} live
 * @returns {HTMLElement}
 */
function renderLicense({ license, licenseKey, keys, condition }) {
  const path = `/licenses/${license.id}`
  const isUsable = condition === 'usable'
  const keyList = element('ul', { className: 'keys' })
  keyList.append(...keys.map((key) => renderKey(path, key)))
  return element(
    'li',
    { className: 'card' },
    element(
      'div',
      { className: 'card-head' },
      element('code', {}, licenseKey),
      button('Copy', 'quiet', `copy ${license.id}`, () => void navigator.clipboard.writeText(licenseKey)),
      element(
        'span',
        { className: 'chip', 'data-tone': isUsable ? 'good' : condition === 'inactive' ? 'warn' : 'bad' },
        condition === 'usable' || condition === 'inactive' ? license.status : condition,
      ),
    ),
    renderUsage(license),
    keyList,
    element(
      'div',
      { className: 'actions' },
      isUsable
        ? button('Suspend', 'harsh', `suspend ${license.id}`, () => void ask('POST', `${path}/suspend`))
        : button('Reinstate', '', `reinstate ${license.id}`, () => void ask('POST', `${path}/reinstate`)),
      ...(condition === 'expired'
        ? []
        : [button('Expire now', 'harsh', `expire ${license.id}`, () => void ask('POST', `${path}/expire`))]),
      button(
        'Activate another device',
        '',
        `add ${license.id}`,
        () => void ask('POST', `${path}/keys`, { name: 'Another device' }),
      ),
    ),
  )
}

/**
 * @param {LiveLicense['license']} license
 * @returns {HTMLElement}
 */
function renderUsage({
  activation_usage: used,
  activation_limit: limit,
  activation_usage_formatted,
  expires_at,
}) {
  const seats = element('div', {
    className: 'seats',
    role: 'img',
    'aria-label': `${used} of ${limit} seats taken`,
  })
  const drawn = Math.max(used, limit)
  if (drawn <= drawnSeats) {
    for (let seat = 0; seat < drawn; seat += 1) {
      seats.append(element('span', { className: 'seat', 'data-taken': seat < used }))
    }
  } else {
    const taken = element('span', { className: 'seat', 'data-taken': true })
    taken.style.width = `${(used / drawn) * 100}%`
    seats.classList.add('is-bar')
    seats.append(taken)
  }
  return element(
    'div',
    { className: 'usage' },
    seats,
    element('span', {}, `${activation_usage_formatted} seats`),
    element('span', {}, endOf(expires_at)),
  )
}

/** @param {string | null} expiresAt */
function endOf(expiresAt) {
  if (expiresAt === null) return 'no end'
  const end = new Date(expiresAt)
  return `${end.getTime() <= Date.now() ? 'ended' : 'ends'} ${end.toLocaleString()}`
}

/**
 * @param {string} path
 * @param {LicenseKey} key
 * @returns {HTMLElement}
 */
function renderKey(path, key) {
  return element(
    'li',
    {},
    element('span', { className: 'key-name', title: key.id }, key.name),
    element(
      'time',
      { className: 'when', dateTime: key.created_at },
      new Date(key.created_at).toLocaleTimeString(),
    ),
    button(
      'Release',
      'quiet',
      `release ${key.id}`,
      () => void ask('DELETE', `${path}/keys/${key.id}`),
      `Release ${key.name}`,
    ),
  )
}

/**
 * @param {string} text
 * @param {string} className
 * @param {string} focus Identifies the button, to restore the focus when the card is redrawn.
 * @param {() => void} onClick
 * @param {string} [label]
 * @returns {HTMLButtonElement}
 */
function button(text, className, focus, onClick, label = text) {
  return element(
    'button',
    { type: 'button', className, 'data-focus': focus, 'aria-label': label, click: onClick },
    text,
  )
}
