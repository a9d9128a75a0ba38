// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest'
import { ActivationElement } from '../../src/dialog/activation-element.ts'
import { initialRender } from '../../src/dialog/initial-render.ts'
import '../../src/dialog/index.ts'
import { loadStrings } from '../../src/dialog/strings/load-strings.ts'
import { createLicensingClient } from '../../src/renderer/licensing-client.ts'
import type { ActivationScreen } from '../../src/shared/activation-screen.ts'
import type { LicensingState } from '../../src/shared/licensing-state.ts'
import { createFakeBridge } from './stage/fake-bridge.ts'
import { situations } from './stage/situations.ts'
import { releaseCodes, stagedAnswers } from './stage/staged-answers.ts'
import { screen } from './stage/staged-screen.ts'
import { active, licenseKey, problem, unlicensed } from './stage/states.ts'

async function drawFirst(
  state: LicensingState,
  looks: Partial<ActivationScreen> = {},
): Promise<string | null> {
  const told = { ...screen, ...looks }
  const { strings, locale } = await loadStrings(told.locale)
  return initialRender({ state, screen: told, strings, locale }, Date.now())
}

/** What the element makes of the same state once its script runs. */
async function drawWithScript(state: LicensingState, looks: Partial<ActivationScreen>): Promise<string> {
  const fake = createFakeBridge(stagedAnswers(state, { screen: { ...screen, ...looks } }))
  const element = new ActivationElement()
  element.client = createLicensingClient(fake.bridge, state)
  document.body.append(element)
  await expect.poll(() => element.shadowRoot?.querySelector('h1')).toBeTruthy()
  await element.updateComplete
  const html = element.shadowRoot?.innerHTML ?? ''
  element.remove()
  return html
}

/** Tags with their attributes and texts, in order: what both ways of drawing have in common. */
function outline(html: string): readonly string[] {
  const lines: string[] = []
  const visit = (node: Node): void => {
    if (node instanceof Element) {
      if (node.id === 'announcement' || node.localName === 'style') return
      const attributes = Array.from(node.attributes, ({ name, value }) => `${name}=${value.trim()}`)
      lines.push([node.localName, ...attributes.sort()].join(' '))
    } else if (node.nodeType === node.TEXT_NODE && node.textContent?.trim()) {
      lines.push(node.textContent.trim())
    }
    for (const child of node.childNodes) visit(child)
  }
  const template = document.createElement('div')
  template.innerHTML = html
  for (const child of template.childNodes) visit(child)
  return lines
}

describe('the initial render matches what the screen then shows', () => {
  const ofState = Object.entries(situations).filter(
    ([, { enters, clicks, state }]) =>
      !enters && !clicks && (state.license?.validUntil ?? state.releaseCode) === undefined,
  )
  test.for(ofState)('%s', async ([, { state }]) => {
    for (const looks of [
      {},
      { locale: 'ar', links: [], accent: '#0a7c66', logo: 'data:image/png;base64,AA' },
    ]) {
      expect(outline((await drawFirst(state, looks)) ?? '')).toEqual(
        outline(await drawWithScript(state, looks)),
      )
    }
  })

  test('while something is under way', async () => {
    const state = unlicensed({ activity: 'activating', problem: problem('offline') })
    expect(outline((await drawFirst(state)) ?? '')).toEqual(outline(await drawWithScript(state, {})))
  })
})

test('is left to the script where what it shows is loaded on demand', async () => {
  const { state } = situations['offline-active'] ?? { state: unlicensed() }
  expect(await drawFirst(state)).toBeNull()
  expect(await drawFirst(active({ releaseCodes }))).toBeNull()
})

test('wears the accent, and a text that reads on it', async () => {
  expect(await drawFirst(unlicensed(), { accent: '#ffd43b' })).toMatch(
    /^<style>:host\{--_accent-fill:rgb\(255 212 59\);--_accent-on-fill:rgb\(0 0 0\);/u,
  )
})

test('paints the light behind the logo only once the script runs', async () => {
  const html = await drawFirst(unlicensed())
  expect(html).toContain('.glow{opacity:0}')
  expect(html).toContain('class="glow"')
  const after = await drawWithScript(unlicensed(), {})
  expect(after).toContain('class="glow"')
  expect(after).not.toContain('opacity:0')
})

test('shows texts as text', async () => {
  const title = '</template><img src=x onerror="alert(1)">&amp;'
  const html = await drawFirst(unlicensed(), { title, strings: { enterLead: '<script>' } })
  expect(html).not.toMatch(/<img|<script|<\/template/iu)
  expect(outline(html ?? '')).toEqual(expect.arrayContaining([`Activate ${title}`, '<script>']))
})

test('an accent that only a page can read, or a key to fill in, waits for the page', async () => {
  expect(await drawFirst(unlicensed(), { accent: 'darkgreen' })).toBeNull()
  expect(await drawFirst(unlicensed(), { prefilledText: licenseKey })).toBeNull()
})

/** The page as it is served, before its script runs. @param clipboardKey the key on the clipboard, masked */
async function served(
  looks: Partial<ActivationScreen> = {},
  clipboardKey: string | null = null,
): Promise<ActivationElement> {
  const fake = createFakeBridge({
    ...stagedAnswers(unlicensed(), { screen: { ...screen, ...looks } }),
    ...(clipboardKey !== null && { clipboardKey: async () => ({ maskedKey: clipboardKey }) }),
  })
  const element = new ActivationElement()
  element.attachShadow({ mode: 'open' }).innerHTML = (await drawFirst(unlicensed(), looks)) ?? ''
  element.client = createLicensingClient(fake.bridge, unlicensed())
  return element
}

test('keeps text that was entered before the script ran', async () => {
  const element = await served()
  const input = element.shadowRoot?.querySelector('input')
  if (input != null) input.value = licenseKey
  document.body.append(element)
  await expect
    .poll(() => element.shadowRoot?.querySelector('[part=found-key]')?.textContent)
    .toContain('Key found.')
  expect(element.shadowRoot?.querySelector('input')?.value).toBe(licenseKey)
  element.remove()
})

test('offers the key on the clipboard if the field was focused before the script ran', async () => {
  const element = await served({}, 'c8e7••••3195')
  const input = element.shadowRoot?.querySelector('input')
  document.body.append(element)
  input?.focus()
  await expect.poll(() => element.shadowRoot?.textContent).toContain('c8e7••••3195')
  element.remove()
})

test('keeps what is on the screen when the script takes over: nothing blinks or loses the focus', async () => {
  const element = await served({ logo: 'data:image/png;base64,AA' })
  const drawn = ['header', 'h1', 'image', 'form', 'input', '[type=submit]', 'footer'].map((selector) =>
    element.shadowRoot?.querySelector(selector),
  )
  document.body.append(element)
  await expect.poll(() => element.getAttribute('situation')).toBe('enter-key')
  for (const node of drawn) expect(node?.isConnected, node?.localName).toBe(true)
  expect(element.shadowRoot?.querySelectorAll('style, section')).toHaveLength(1)
  element.remove()
})
