import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { markdownTable, withTables } from '@latchkey/scripts/docs/markdown-table'
import { expect, test } from 'vitest'
import { LicensingBridgeError, type LicensingBridgeFault } from '../src/renderer/licensing-client.ts'
import { type OfflineProblemCode, offlineProblemMessages } from '../src/shared/offline-problem.ts'
import { type ProblemCode, problemMessages } from '../src/shared/problem.ts'

const page = path.join(import.meta.dirname, '../../../docs/problem-codes.md')

/** A fault without a row is a compile error. */
const bridgeFaults: Record<LicensingBridgeFault, null> = {
  'bridge-missing': null,
  'bridge-version': null,
  'bridge-silent': null,
}

const anyKey =
  "If the key is right: behind a gateway for another service, the app needs [`licenseKeys: 'any'`](services/index.md#with-the-gateway)."
const listing =
  "Let the token list a license's devices, or put a [gateway](production.md#put-a-gateway-between) in front."

/** What the developer or the support desk does, where that isn't what the user does. */
const advice: Partial<Record<ProblemCode | OfflineProblemCode, string>> = {
  'no-license-key': anyKey,
  'license-not-found': `Compare the key with the order; a key of a test store looks the same. ${anyKey} Check the version segment in \`baseUrl\`, such as \`/v1\`.`,
  'wrong-product': 'Check the product in the settings of the adapter or the gateway.',
  'no-seat-left': 'Your [support desk](support-desk.md#free-a-seat) can release a device, too.',
  'license-of-other-service': 'Send the customer a [new key](migrating.md#from-one-service-to-another).',
  'seat-may-be-taken': "Find the device in your service's dashboard, and free its seat.",
  'moved-to-another-device': 'If it keeps happening, more people use the key than it has seats.',
  'test-license-key': 'To accept it, set [`testMode`](services/index.md#test-mode).',
  'adoption-unavailable': listing,
  'devices-not-listed': listing,
  'other-device': 'The app has [`devices`](fleets.md) set to `own`.',
  'service-error': "Look at the service, or at the [gateway's log](gateway-reference.md#log-and-metrics).",
  'rate-limited': 'If many customers share an address, raise the [limits](gateway-reference.md#limits).',
  'unexpected-answer': 'If all users see it, check `baseUrl` with `latchkey doctor --gateway`.',
  offline: "Ask the user to allow the service's address in the firewall, or to try another network.",
  unauthorized:
    "One user: a proxy of theirs. Many users: check the gateway's access token, or the settings of the adapter.",
  'untrusted-answer':
    'Update the app. Compare `leaseKeys` with the key that `latchkey doctor --gateway` shows. If the key was renamed at your service, [free the seat](support-desk.md#free-a-seat).',
  'store-undecryptable': "If it happens again, look for software that restores or cleans the app's folder.",
  misconfigured: "Your app's log, or the gateway's, names the setting.",
  unexpected: "Look for the error in your app's log.",
  'offline-answer-unknown-key': 'Compare `leaseKeys` with the key that `latchkey doctor --gateway` shows.',
}

// `pnpm unit documents-every -u` updates the page.
test('the page of problem codes matches the maps of codes', async () => {
  const messages = Object.entries({ ...problemMessages, ...offlineProblemMessages })
  const advices = new Map(Object.entries(advice))
  const bridge = Object.keys(bridgeFaults) as LicensingBridgeFault[]
  const withAdvice = (code: string, message: string): string =>
    advices.has(code) ? `${message}<br>_You:_ ${advices.get(code)}` : message
  const problems = markdownTable(
    ['code', 'what the user sees, and what you do'],
    [
      ...messages.map(([code, message]) => [`\`${code}\``, withAdvice(code, message)]),
      ...bridge.map((code) => [`\`${code}\``, `_You:_ ${new LicensingBridgeError(code).message}`]),
    ],
  )
  await expect(withTables(await readFile(page, 'utf8'), { problems })).toMatchFileSnapshot(page)
})
