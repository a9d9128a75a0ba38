import axe from 'axe-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStage, type Stage } from './stage/open-stage.ts'
import { situations } from './stage/situations.ts'

declare global {
  interface Window {
    readonly axe: typeof axe
  }
}

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test.for(Object.keys(situations))('%s: axe finds nothing, light or dark', async (name) => {
  await stage.show(name)
  await stage.page.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    await stage.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const violations = await stage.page.evaluate(async () => {
      const found = await window.axe.run()
      return found.violations.map(({ id, impact, nodes }) => ({
        id,
        impact,
        nodes: nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ''}`),
      }))
    })
    expect(violations, colorScheme).toEqual([])
  }
})

test('the screen without a free seat reads like this', async () => {
  await stage.show('no-seat-left')
  expect(await stage.page.locator('main').ariaSnapshot()).toMatchInlineSnapshot(`
    "- main:
      - region "No seat left":
        - heading "No seat left" [level=1]
        - paragraph: This license is used on as many devices as it allows. Release one, and this device takes its seat.
        - group "Devices using this license":
          - text: Devices using this license
          - radio "Old ThinkPad Activated on February 3, 2028"
          - strong: Old ThinkPad
          - text: Activated on February 3, 2028
          - radio "Anna’s iMac Activated on November 20, 2029"
          - strong: Anna’s iMac
          - text: Activated on November 20, 2029
          - radio "build-server-eu-west-1.example.net Activated on May 1, 2030"
          - strong: build-server-eu-west-1.example.net
          - text: Activated on May 1, 2030
        - button "Release and activate here"
        - button "Use another key"
        - button "Buy more seats"
        - button "Get help"
        - button "Copy details for support"
        - status: This license is used on as many devices as it allows. Release one, and this device takes its seat."
  `)
})
