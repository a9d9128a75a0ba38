// @vitest-environment happy-dom
import { act, createElement, type ReactNode, StrictMode, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLicensingClient } from '../../src/renderer/licensing-client.ts'
import { createFakeBridge } from '../dialog/stage/fake-bridge.ts'
import { stagedAnswers } from '../dialog/stage/staged-answers.ts'
import { active, problem, unlicensed } from '../dialog/stage/states.ts'

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const acting: (callback: () => Promise<void>) => Promise<void> = act

function mountStatus() {
  const fake = createFakeBridge(stagedAnswers(unlicensed()))
  const client = createLicensingClient(fake.bridge)
  const renders: string[] = []
  const complaints = vi.spyOn(console, 'error').mockImplementation(() => {})

  function Status(): ReactNode {
    const state = useSyncExternalStore(client.subscribe, client.getSnapshot)
    const text = state === null ? 'not known yet' : state.status
    renders.push(text)
    return createElement('p', null, text)
  }
  const container = document.createElement('div')
  const root = createRoot(container)
  return { fake, client, renders, complaints, container, root, Status }
}

test("the client fits React's useSyncExternalStore: renders on change, not on repetition, and unsubscribes", async () => {
  const { fake, client, renders, complaints, container, root, Status } = mountStatus()
  await acting(async () => root.render(createElement(Status)))
  await acting(async () => {
    await client.ready
  })
  expect(container.textContent).toBe('unlicensed')

  renders.length = 0
  await acting(async () => fake.push(unlicensed()))
  expect(renders).toEqual([])
  await acting(async () => fake.push(active()))
  expect(renders).toEqual(['active'])
  expect(container.textContent).toBe('active')

  await acting(async () => root.unmount())
  fake.push(unlicensed({ problem: problem('offline') }))
  expect(renders).toEqual(['active'])
  // React warns when getSnapshot isn't stable.
  expect(complaints).not.toHaveBeenCalled()
})

test('two components see one state, in strict mode too', async () => {
  const { fake, client, complaints, container, root, Status } = mountStatus()
  await acting(async () => {
    root.render(
      createElement(
        StrictMode,
        null,
        createElement(Status, { key: 'one' }),
        createElement(Status, { key: 'two' }),
      ),
    )
    await client.ready
  })
  await acting(async () => fake.push(active()))
  expect(container.textContent).toBe('activeactive')
  expect(complaints).not.toHaveBeenCalled()
})
