import { checkOptions } from '@latchkey/commerce/options'
import { createLicensingClient, type LicensingClient } from '../renderer/licensing-client.ts'
import { type ActivationLink, type ActivationScreen, activationLinks } from '../shared/activation-screen.ts'
import type { LicensingBridge } from '../shared/licensing-bridge.ts'
import {
  checkListener,
  createFakeCalls,
  type FakeControls,
  fakeLicensingWith,
} from './create-fake-licensing.ts'
import { type FakeState, oneOf } from './fake-state.ts'

/** An in-memory {@link LicensingClient}: `getSnapshot` and `subscribe` work without a main process. */
export interface FakeClient extends LicensingClient, FakeControls {}

const screen: ActivationScreen = {
  title: 'Your app',
  logo: null,
  accent: null,
  links: [],
  locale: 'en',
  strings: {},
  prefilledText: null,
}

const linkName = oneOf<ActivationLink>(activationLinks)

/**
 * Creates the renderer's client for tests of your pages. Its snapshot is available immediately.
 *
 * @param state the initial state; `unlicensed` if you leave it out.
 * @throws TypeError if there is no such status, field, problem code, activity or storage.
 * @example
 * const licensing = createFakeClient({ status: 'active' })
 * licensing.setState({ status: 'revoked' }) // the page under test renders again
 */
export function createFakeClient(state: FakeState = {}): FakeClient {
  const fakeCalls = createFakeCalls()
  const licensing = fakeLicensingWith('createFakeClient', fakeCalls, state)
  const { calls, note } = fakeCalls
  const bridge: LicensingBridge = {
    ...licensing,
    getState: async () => licensing.state,
    openActivationWindow: () => licensing.openActivationWindow(),
    closeActivationWindow: async () => licensing.closeActivationWindow(),
    async screen() {
      note('screen')
      return screen
    },
    async openLink(link) {
      checkOptions('openLink', linkName, link)
      note('openLink', link)
      return { ok: true }
    },
    async clipboardKey() {
      note('clipboardKey')
      return null
    },
    activateFromClipboard: (maskedKey) => licensing.activate(maskedKey),
    async copyDiagnosis() {
      note('copyDiagnosis')
    },
    onState: licensing.subscribe,
  }
  const client = createLicensingClient(bridge, licensing.state)
  return refuseAsBridge({
    ...client,
    subscribe(listener) {
      checkListener(listener)
      return client.subscribe(listener)
    },
    calls,
    get isActivationWindowOpen() {
      return licensing.isActivationWindowOpen
    },
    setState: licensing.setState,
    script: licensing.script,
    dismissActivationWindow: licensing.dismissActivationWindow,
  })
}

/** Makes a page fail with a hint if a test sets `window.latchkey` to the client: the page expects a bridge there. */
function refuseAsBridge(client: FakeClient): FakeClient {
  return Object.defineProperty(client, 'onState', {
    get() {
      throw new TypeError(
        "createFakeClient: replace the module '@latchkey/electron/renderer' instead of setting window.latchkey",
      )
    },
  })
}
