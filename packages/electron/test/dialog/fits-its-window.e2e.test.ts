import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTranslator } from '../../src/dialog/situation/translator.ts'
import { type ProblemCode, problemMessages } from '../../src/shared/problem.ts'
import { languages, loadStrings } from '../../src/texts/load-strings.ts'
import { openStage, type Stage } from './stage/open-stage.ts'
import { situations } from './stage/situations.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

/** Shows every language and measures what is cut off or overflows. */
function measure(): Promise<string[]> {
  return stage.page.evaluate(async (locales) => {
    const element = document.querySelector('latchkey-activation')
    const root = element?.shadowRoot
    if (element == null || root == null) return ['no screen']
    const found: string[] = []
    const { clientWidth, scrollWidth } = document.documentElement
    if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth} wide, its window ${clientWidth}`)
    for (const locale of locales) {
      element.locale = locale
      const section = () => root.querySelector('section')?.lang
      while (section() !== locale) await new Promise((resolve) => setTimeout(resolve, 5))
      await element.updateComplete
      for (const box of root.querySelectorAll<HTMLElement>(
        'section *:not(svg, svg *, .unseen, .emblem, .emblem *)',
      )) {
        const { width, left, right } = box.getBoundingClientRect()
        const name = `${locale}: ${box.tagName.toLowerCase()} “${box.textContent?.trim().slice(0, 40)}”`
        if (width === 0) continue
        if (left < -0.5 || right > document.documentElement.clientWidth + 0.5)
          found.push(`${name} sticks out`)
        const { overflowX, overflowY, display } = getComputedStyle(box)
        // A field scrolls its text, a long list its lines: both on purpose.
        if (box instanceof HTMLInputElement || display === 'inline') continue
        if (box.scrollWidth > box.clientWidth + 1) found.push(`${name} is cut off at its side (${overflowX})`)
        const isCut = box.scrollHeight > box.clientHeight + 1 && !['visible', 'auto'].includes(overflowY)
        if (isCut) found.push(`${name} is cut off below`)
      }
    }
    return found
  }, languages)
}

const keyProblems: readonly ProblemCode[] = [
  'empty-text',
  'no-license-key',
  'several-license-keys',
  'text-too-long',
  'license-not-found',
  'activation-refused',
  'busy',
  'not-activated',
  'device-not-found',
  'unexpected',
]

test('the hint below the field fits on two lines in every language, so that the button never moves', async () => {
  await stage.show('key-not-recognised')
  await stage.zoom(1)
  await stage.fit()
  const sentences = await Promise.all(
    languages.map(async (locale) => {
      const texts = await loadStrings(locale)
      const { strings } = texts
      const { enterLead, trialHint, keyFound, useClipboard, takingLong, stopWaiting, chooseKey } = strings
      const hints = [enterLead, trialHint, keyFound, useClipboard, chooseKey, `${takingLong} ${stopWaiting}`]
      const link = `${strings.fromLink}\n${strings.replacesLicense}`
      const { problem } = createTranslator(texts, {}, 'Inkpad')
      const reasons = keyProblems.map((code) => problem({ code, message: problemMessages[code] }))
      return [locale, [...reasons, ...hints, link]] as const
    }),
  )
  const tooLong = await stage.page.evaluate(async (said) => {
    const element = document.querySelector('latchkey-activation')
    const root = element?.shadowRoot
    if (element == null || root == null) return ['no screen']
    const found: string[] = []
    for (const [locale, texts] of said) {
      element.locale = locale
      while (root.querySelector('section')?.lang !== locale) {
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      await element.updateComplete
      const shown = root.querySelector<HTMLElement>('#hint')
      const slot = shown?.cloneNode(true)
      if (shown === null || !(slot instanceof HTMLElement)) return ['no place for a hint']
      shown.after(slot)
      const span = slot.querySelector('span')
      if (span === null) return ['no place for a hint']
      const { height } = shown.getBoundingClientRect()
      for (const text of texts) {
        span.textContent = text
        if (slot.getBoundingClientRect().height > height) found.push(`${locale}: ${text}`)
      }
      slot.remove()
    }
    return found
  }, sentences)
  expect(tooLong).toEqual([])
})

test('the button never moves, whatever the hint below the field', async () => {
  const tops = new Map<string, number>()
  for (const name of ['enter-key', 'clipboard-offer', 'checking', 'key-not-recognised', 'key-declined']) {
    await stage.show(name)
    await stage.zoom(1)
    await stage.fit()
    const box = await stage.page.locator('button[type=submit]').boundingBox()
    tops.set(name, box?.y ?? 0)
  }
  expect(new Set(tops.values()).size, JSON.stringify([...tops])).toBe(1)
})

/** Speaks every language in turn and finds feet of more than one line, and texts that wrap within two sentences. */
function wrappedTexts(): Promise<string[]> {
  return stage.page.evaluate(async (locales) => {
    const element = document.querySelector('latchkey-activation')
    const root = element?.shadowRoot
    if (element == null || root == null) return ['no screen']
    const found: string[] = []
    for (const locale of locales) {
      element.locale = locale
      while (root.querySelector('section')?.lang !== locale) {
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      await element.updateComplete
      const foot = root.querySelector('footer')
      if (foot === null || foot.offsetHeight > 49) found.push(`${locale}: ${foot?.textContent}`)
      for (const text of root.querySelectorAll<HTMLElement>('.line')) {
        const said = text.textContent ?? ''
        const isWrapped =
          text.getBoundingClientRect().height > 1.5 * Number.parseFloat(getComputedStyle(text).lineHeight)
        if (isWrapped && /\D[.!?؟] \S|[。！？]\S/u.test(said)) found.push(`${locale}: ${said}`)
      }
    }
    return found
  }, languages)
}

// One page after another would cost more than all that is measured on it.
test.for(Object.keys(situations))(
  '%s: in any language the foot is a single line, no wrapped text holds two sentences, and nothing is cut off, also in 320 pixels and at 200 percent',
  async (name) => {
    await stage.show(name)
    // The layout is the same as on a visible page, and drawing each language would take most of the time.
    await stage.page.evaluate(() => {
      document.documentElement.style.visibility = 'hidden'
    })
    await stage.zoom(1)
    await stage.fit()
    expect(await wrappedTexts()).toEqual([])
    await stage.resize(320, 560)
    await stage.page.waitForFunction(() => window.innerWidth === 320)
    expect(await measure(), 'in a window of 320 pixels').toEqual([])
    await stage.resize(480, 560)
    await stage.zoom(2)
    await stage.page.waitForFunction(() => window.innerWidth === 240)
    expect(await measure(), 'at 200 percent in a window of ordinary size').toEqual([])
  },
)
