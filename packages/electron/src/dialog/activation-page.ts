import { findBridge, licensing } from '../renderer/licensing.ts'
import { createLicensingClient, type LicensingClient } from '../renderer/licensing-client.ts'
import { type PageStart, pageStartId } from '../shared/activation-screen.ts'
import type { LoadedStrings } from '../texts/load-strings.ts'
import { openPage } from './open-page.ts'

const element = document.getElementById(pageStartId)
const { state, screen, texts }: PageStart<LoadedStrings> = JSON.parse(element?.textContent ?? '')
// It may contain a key from a link, which must only be in the field.
element?.remove()

const client = connect()
// The first is in the page. A later one may have more links.
const first = [screen]
openPage({ ...client, screen: async () => first.pop() ?? client.screen() }, async () => texts)

/** Returns the window's licensing once it has its first state, or one that reports that there is no bridge. */
function connect(): LicensingClient {
  try {
    return createLicensingClient(findBridge(), state)
  } catch {
    return licensing
  }
}
