// @vitest-environment happy-dom
import { act, createElement, type ReactNode, StrictMode, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLicensingClient } from '../../src/renderer/licensing-client.ts'
import { createFakeBridge } from '../dialog/stage/fake-bridge.ts'
import { active, problem, unlicensed } from '../dialog/stage/states.ts'

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const acting: (callback: () => Promise<void>) => Promise<void> = act

test("the client fits React's useSyncExternalStore: two components render on change, not on repetition, and unsubscribe", async () => {
  const fake = createFakeBridge(unlicensed())
  const client = createLicensingClient(fake.bridge)
  const complaints = vi.spyOn(console, 'error').mockImplementation(() => {})
  let renders = 0
  function Status(): ReactNode {
    renders += 1
    const state = useSyncExternalStore(client.subscribe, client.getSnapshot)
    return createElement('p', null, state === null ? 'not known yet' : state.status)
  }
  const container = document.createElement('div')
  const root = createRoot(container)
  const components = ['one', 'two'].map((key) => createElement(Status, { key }))
  await acting(async () => root.render(createElement(StrictMode, null, ...components)))
  await acting(async () => {
    await client.ready
  })
  expect(container.textContent).toBe('unlicensedunlicensed')

  renders = 0
  await acting(async () => fake.push(unlicensed()))
  expect(renders).toBe(0)
  await acting(async () => fake.push(active()))
  expect(container.textContent).toBe('activeactive')
  // Strict mode renders each component twice.
  expect(renders).toBe(4)

  await acting(async () => root.unmount())
  renders = 0
  fake.push(unlicensed({ problem: problem('offline') }))
  expect(renders).toBe(0)
  // React warns when getSnapshot isn't stable.
  expect(complaints).not.toHaveBeenCalled()
})
