import { expect, test } from 'vitest'
import { bundleActivationPage } from '../../scripts/bundle-activation-page.ts'

/** The page's rules that contain a text, by their selectors. */
function selectorsOf(html: string, text: string): readonly string[] {
  const rules = html.replace(/\/\*.*?\*\//gsu, '').matchAll(/(?<=[{};>])([^{};>]*)\{([^{}]*)\}/gu)
  return Array.from(rules, ([, selector = '', declarations = '']) => ({ selector, declarations }))
    .filter(({ declarations }) => declarations.includes(text))
    .map(({ selector }) => selector.trim())
}

test('the first frame blurs only an app’s own logo, which takes long without a graphics card', async () => {
  const { html } = await bundleActivationPage()
  expect(selectorsOf(html, 'blur(')).toEqual(['svg.glow'])
  expect(selectorsOf(html, 'drop-shadow(')).toEqual(['svg.logo'])
})

test('the page is painted once until its window is visible, unless it draws the title of a Windows title bar', async () => {
  const { html } = await bundleActivationPage()
  // A page that uses such a value is styled and painted again when its window appears.
  expect(selectorsOf(html, 'env(')).toEqual(["[data-title-bar='windows'] .title"])
})
