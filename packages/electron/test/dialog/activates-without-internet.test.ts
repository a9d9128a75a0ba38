// @vitest-environment happy-dom
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ActivationElement } from '../../src/dialog/activation-element.ts'
import '../../src/dialog/index.ts'
import { createLicensingClient } from '../../src/renderer/licensing-client.ts'
import type { ActivationScreen } from '../../src/shared/activation-screen.ts'
import type { LicensingState } from '../../src/shared/licensing-state.ts'
import { languages, loadStrings } from '../../src/texts/load-strings.ts'
import {
  createFakeBridge,
  type FakeAnswers,
  offlineRequest,
  releaseCode,
  releaseCodes,
  screen,
} from './stage/fake-bridge.ts'
import { active, license, licenseKey, problem, unlicensed } from './stage/states.ts'

afterEach(() => document.body.replaceChildren())

async function show(
  state: LicensingState,
  answers: Partial<FakeAnswers> = {},
  links: ActivationScreen['links'] = [...screen.links, 'offline'],
) {
  const fake = createFakeBridge(state, { screen: { ...screen, links }, ...answers })
  const element = new ActivationElement()
  element.client = createLicensingClient(fake.bridge, state)
  document.body.append(element)
  const find = (selector: string) => element.shadowRoot?.querySelector<HTMLElement>(selector) ?? null
  await expect.poll(() => find('h1')).toBeTruthy()
  const click = async (action: string) => {
    await expect.poll(() => find(`[data-action='${action}']`)).toBeTruthy()
    const button = find(`[data-action='${action}']`)
    if (button?.getAttribute('type') === 'submit')
      find('form')?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }))
    else button?.click()
  }
  const situation = () => expect.poll(() => element.getAttribute('situation'))
  /** Clicks a button that leads to another situation. */
  const go = async (action: string, kind: string) => {
    await click(action)
    await situation().toBe(kind)
  }
  return {
    fake,
    element,
    find,
    click,
    go,
    situation,
    /** Asks for a request with the license key. */
    request: async () => {
      await go('offline', 'offline')
      expect(find('h1')?.textContent).toBe('Activate without internet')
      enter(find('#key'), licenseKey)
      await click('request-offline')
    },
    hint: () => expect.poll(() => find('#hint')?.textContent?.trim()),
  }
}

function enter(field: HTMLElement | null, text: string): void {
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement))
    throw new Error('There is no field.')
  field.value = text
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Names of the files that are saved from now on. */
function savedFiles() {
  const saved: string[] = []
  const onClick = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    saved.push(this.download)
  })
  return { saved, restore: () => onClick.mockRestore() }
}

test.for(languages)('says in a sentence of its own that the device is deactivated: %s', async (locale) => {
  const { strings } = await loadStrings(locale)
  expect(strings['offline.releaseLead'].split('\n')).toHaveLength(2)
})

test('shows the texts that window.strings replaces', async () => {
  const strings = {
    'offline.requestHeading': 'Show this to your {app} admin',
    'problems.offline-answer-torn': 'Half of it. Ask your admin.',
  }
  const { find, click, go, hint, request } = await show(unlicensed(), {
    screen: { ...screen, strings, links: ['offline'] },
  })
  await request()
  await expect.poll(() => find('h1')?.textContent).toBe(`Show this to your ${screen.title} admin`)
  await go('enterAnswer', 'offline-answer')
  await click('activate-offline')
  await hint().toContain('Half of it.')
})

test('leads from the key to the request and the answer, and back', async () => {
  const { fake, find, click, go, situation, hint, request } = await show(unlicensed())
  await request()
  await situation().toBe('offline-request')
  expect(fake.calls).toContain(`createOfflineRequest(${licenseKey})`)
  expect(find('.scan path')?.getAttribute('d')).toMatch(/^M\d/u)
  // The address alone: the request in it contains the license key.
  expect(find('.facts')?.textContent).toContain('https://licensing.inkpad.example/v1/offline')
  expect(find('.facts')?.textContent).not.toContain('#')

  await go('enterAnswer', 'offline-answer')
  enter(find('#answer'), 'half of an answer')
  await click('activate-offline')
  await hint().toContain('A part of the answer is missing.')
  expect(fake.calls).toContain('activateOffline(half of an answer)')

  fake.answers.activateOffline = async () => {
    fake.push(active())
    return { ok: true, state: fake.answers.state }
  }
  await go('activate-offline', 'activated')
})

test('shows an answer that was opened as a link, and activates only on a click', async () => {
  const prefilledText = 'latchkey-answer-1.eyJ0eXAi.5d2c91aa'
  const { fake, find, click, go, situation, hint } = await show(unlicensed(), {
    screen: { ...screen, links: ['offline'], prefilledText },
  })
  await situation().toBe('offline-answer')
  await expect.poll(() => find('#answer')).toHaveProperty('value', prefilledText)
  expect(fake.calls.filter((call) => call.startsWith('activate'))).toEqual([])
  await click('activate-offline')
  await hint().toContain('A part of the answer is missing.')
  expect(fake.calls).toContain(`activateOffline(${prefilledText})`)
  // Without a request on this screen, the key leads to it.
  await go('showRequest', 'offline')
})

test('starts with the key that the network kept from being activated, and returns to that screen', async () => {
  const { fake, find, go } = await show(unlicensed(), {
    activate: async () => ({ ok: false, problem: problem('offline'), state: unlicensed() }),
  })
  enter(find('#key'), licenseKey)
  await go('activate', 'no-network')
  await go('offline', 'offline-request')
  expect(fake.calls).toContain(`createOfflineRequest(${licenseKey})`)
  await go('back', 'no-network')
})

test('says what is wrong with a key, until it is changed', async () => {
  const { find, click, go, hint } = await show(unlicensed(), {
    createOfflineRequest: async () => ({ ok: false, problem: problem('no-license-key') }),
  })
  await go('offline', 'offline')
  enter(find('#key'), 'hello')
  await click('request-offline')
  await hint().toContain('There’s no license key in this text.')
  enter(find('#key'), 'hello again')
  await hint().not.toContain('There’s no license key in this text.')
})

describe('after a deactivation without internet', () => {
  const until = active({ license: { ...license, validUntil: '2031-03-14T12:00:00.000000Z' } })
  const left = unlicensed({ problem: problem('deactivation-pending'), releaseCode })

  async function deactivate() {
    const shown = await show(until)
    const { fake, click, go } = shown
    fake.answers.deactivate = async () => {
      fake.push(left)
      return { ok: true, seat: 'freed-later', state: left }
    }
    await click('askDeactivation')
    await go('deactivate', 'offline-release')
    return shown
  }

  test('the screen shows the release code to carry to the page, and then asks for a key again', async () => {
    const { find, click, go } = await deactivate()
    expect(find('h1')?.textContent).toBe('Free the seat of this device')
    await expect.poll(() => find('.scan path')?.getAttribute('d')).toMatch(/^M\d/u)
    expect(find('.scan')?.getAttribute('aria-label')).toBe('Release code')
    expect(find('.facts')?.textContent).toContain('https://licensing.inkpad.example/v1/offline')
    const { saved, restore } = savedFiles()
    await click('save-file')
    expect(saved).toEqual(['release.latchkey'])
    restore()

    await go('nextReleaseCode', 'enter-key')
    await go('showReleaseCode', 'offline-release')
  })

  test('with an earlier code that may be unused, it shows one after the other', async () => {
    const two = unlicensed({ problem: problem('deactivation-pending'), releaseCode, releaseCodes })
    const { find, click, go } = await show(two)
    await go('showReleaseCode', 'offline-release')
    expect(find('.lead')?.textContent?.trim()).toMatch(/1 \/ 2$/u)
    expect(find('.group')?.textContent).toContain(releaseCodes[0]?.maskedKey)
    const { saved, restore } = savedFiles()
    await click('save-file')
    document.execCommand = () => true
    await click('copy-text')
    await expect.poll(() => find('[data-action=copy-text]')?.textContent).toBe('Copied')
    const first = find('.scan path')?.getAttribute('d')

    await click('nextReleaseCode')
    await expect.poll(() => find('.lead')?.textContent?.trim()).toMatch(/2 \/ 2$/u)
    expect(find('.group')?.textContent).toContain(releaseCodes[1]?.maskedKey)
    expect(find('[data-action=copy-text]')?.textContent).toBe('Copy as text')
    await expect.poll(() => find('.scan path')?.getAttribute('d')).toMatch(/^M\d/u)
    expect(find('.scan path')?.getAttribute('d')).not.toBe(first)
    await click('save-file')
    expect(saved).toEqual(['release.latchkey', 'release-2.latchkey'])
    restore()

    await go('nextReleaseCode', 'enter-key')
    await click('showReleaseCode')
    await expect.poll(() => find('.lead')?.textContent?.trim()).toMatch(/1 \/ 2$/u)
  })

  test('it offers the code after a restart too, until the seat is free', async () => {
    const { fake, find, go, situation } = await show(left)
    await situation().toBe('enter-key')
    await go('showReleaseCode', 'offline-release')
    fake.push(unlicensed())
    await situation().toBe('enter-key')
    expect(find('[data-action=showReleaseCode]')).toBeNull()
  })
})

describe('a license that another one replaced without internet', () => {
  const validUntil = '2031-03-14T12:00:00.000000Z'
  const until = active({ license: { ...license, validUntil } })
  const replaced = active({
    license: { ...license, maskedKey: '5e8b••••0a17', validUntil },
    releaseCodes: releaseCodes.slice(0, 1),
  })

  test('gets its release code shown at once, and then offered in the help menu', async () => {
    const { fake, find, go, request } = await show(until, {
      activateOffline: async () => {
        fake.push(replaced)
        return { ok: true, state: replaced }
      },
    })
    await request()
    await go('enterAnswer', 'offline-answer')
    enter(find('#answer'), 'an answer')
    await go('activate-offline', 'offline-release')
    expect(find('.group')?.textContent).toContain(releaseCodes[0]?.maskedKey)
    expect(find('.lead')?.textContent?.trim()).toBe(
      'To free its seat, open this release code on a device with internet.',
    )

    await go('nextReleaseCode', 'activated')
    await go('showReleaseCode', 'offline-release')
    await go('nextReleaseCode', 'activated')
  })

  test('has its release code in the help menu after a restart, whatever became of the other one', async () => {
    const online = active({ releaseCodes })
    const ended = { ...online, status: 'expired', entitled: false } as const
    for (const [state, kind] of [
      [replaced, 'activated'],
      [online, 'activated'],
      [ended, 'expired'],
    ] as const) {
      const { go, situation } = await show(state)
      await situation().toBe(kind)
      await go('showReleaseCode', 'offline-release')
    }
  })
})

test('takes a file that is dropped anywhere, but reads no more of one than an answer can have', async () => {
  const { fake, find, situation, hint, request } = await show(unlicensed())
  await request()
  await situation().toBe('offline-request')
  const drop = (file: Blob): boolean => {
    const event = Object.assign(new Event('drop', { bubbles: true, cancelable: true, composed: true }), {
      dataTransfer: { files: [file] },
    })
    return find('h1')?.dispatchEvent(event) ?? false
  }
  const sent = () => expect.poll(() => fake.calls.at(-1))
  drop(new Blob(['x'.repeat(1_000_000)]))
  await situation().toBe('offline-answer')
  await sent().toMatch(/^activateOffline\(x{100000,300000}\)$/u)
  await hint().toContain('A part of the answer is missing.')
  const folder = new Blob()
  vi.spyOn(folder, 'slice').mockReturnValue(folder)
  vi.spyOn(folder, 'text').mockRejectedValue(new Error('It is a folder.'))
  drop(folder)
  await sent().toBe('activateOffline()')
  await hint().toContain('A part of the answer is missing.')
  drop(new Blob([offlineRequest]))
  await sent().toBe(`activateOffline(${offlineRequest})`)
})

test('the details name the customer, the plan, and the license’s own end', async () => {
  const validUntil = new Date(Date.now() + 90 * 86_400_000).toISOString()
  const labels = async (state: LicensingState) => {
    const { element, situation } = await show(state)
    await situation().toBe('activated')
    await expect.poll(() => element.shadowRoot?.querySelector('.lead')).toBeTruthy()
    const shown = [...(element.shadowRoot?.querySelectorAll('dt') ?? [])].map(
      ({ textContent }) => textContent,
    )
    return shown
  }
  expect((await labels(active({ license: { ...license, validUntil } }))).at(-1)).toBe('License ends')
  expect((await labels(active())).at(-1)).toBe('Valid until')
  const named = await labels(active({ license: { ...license, licensee: 'Ada Lovelace', plan: 'Pro' } }))
  expect(named.slice(0, 3)).toEqual(['License key', 'Licensed to', 'Plan'])
})

test('an activated app says until when, and how to renew in the last ten days', async () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const until = (days: number) =>
    active({ license: { ...license, expiresAt: null, validUntil: inDays(days) } })
  const early = await show(until(11))
  await expect.poll(() => early.find('.lead')?.textContent?.trim()).toContain('Active without internet until')
  expect(early.find('.notice')).toBeNull()
  const late = await show(until(9))
  await expect
    .poll(() => late.find('.notice')?.textContent)
    .toContain('To renew it, connect to the internet once')
  expect(late.find('[data-action=offline]')).toBeTruthy()
})
